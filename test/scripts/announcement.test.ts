import { expect } from 'chai';
import { readConfig } from '../../core/config.js';
import { generateKeyring } from '../../core/keyring.js';
import { announcement } from '../../scripts/supervise/announcement.js';

describe('the announcement', () => {
  const announced = (env: NodeJS.ProcessEnv) =>
    announcement(readConfig({ DATA_DIR: '/srv/mayfly', ...env }, 'script'), {
      token: null,
      domainExists: true,
    });
  const production = { NODE_ENV: 'production', ENCRYPTION_KEYS: generateKeyring() };
  const given = { OPERATOR_PASSWORD: 'never to be shown' };

  it('tells where to look, and whom programs ask', () => {
    expect(announced({})).to.contain(
      '\n  Dashboard    http://127.0.0.1:3000/\n  API          http://127.0.0.1:3000/api\n',
    );
  });

  it('tells where the queues are, and in which file their password', () => {
    expect(announced({})).to.contain(
      '\n  Queues       http://127.0.0.1:3000/admin/queues\n' +
        '               User operator, password in /srv/mayfly/operator-password\n',
    );
  });

  it('tells which variable a given password is in, and not the password', () => {
    for (const env of [given, { ...production, ...given }]) {
      expect(announced(env))
        .to.contain('/admin/queues\n               User operator, password in OPERATOR_PASSWORD\n')
        .and.not.contain(given.OPERATOR_PASSWORD);
    }
  });

  it('tells nothing of them where they do not exist', () => {
    expect(announced(production)).not.to.match(/queues|operator/i);
  });
});
