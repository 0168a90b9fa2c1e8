import { expect } from 'chai';
import { readConfig } from '../../core/config/config.ts';
import { generateKeyring } from '../../core/secrets/keyring.ts';
import type { FirstWorkspace } from '../../scripts/cli/existing-workspace.ts';
import { startMessage, type Machine } from '../../scripts/supervise/start-message.ts';

describe('the announcement', () => {
  const announced = (env: NodeJS.ProcessEnv, workspace: Partial<FirstWorkspace> = {}) =>
    startMessage(readConfig({ DATA_DIR: '/srv/mayfly', ...env }, 'script'), {
      ...{ isNew: false, token: null, credential: null, domainExists: true },
      ...workspace,
    });
  const production = { NODE_ENV: 'production', ENCRYPTION_KEYS: generateKeyring() };
  const given = { OPERATOR_PASSWORD: 'never to be shown' };

  it('shows the addresses and three commands', () => {
    expect(announced({})).to.contain(
      '\n  Dashboard    http://127.0.0.1:3000/\n  API          http://127.0.0.1:3000/api\n',
    );
  });

  it('shows the queues page and the file with its password', () => {
    expect(announced({})).to.contain(
      '\n  Queues       http://127.0.0.1:3000/admin/queues\n' +
        '               User operator, password in /srv/mayfly/operator-password\n',
    );
  });

  it('names the variable of a configured password, without the password', () => {
    for (const env of [given, { ...production, ...given }]) {
      expect(announced(env))
        .to.contain('/admin/queues\n               User operator, password in OPERATOR_PASSWORD\n')
        .and.not.contain(given.OPERATOR_PASSWORD);
    }
  });

  it('says at a later start how to get another token and another SMTP URL', () => {
    expect(announced({ BIND_HOST: '127.0.0.1' })).to.contain(
      [
        '  Token        was shown once, at the first start with this DATA_DIR',
        "               To get another: DATA_DIR='/srv/mayfly' npm run token:create -- --domain mayfly.localhost",
        '  SMTP_URL     was shown once, at the first start with this DATA_DIR',
        '               To get another: mayfly smtp create --mailbox inbox  (of @mayfly/cli)',
        '',
      ].join('\n'),
    );
    expect(announced({})).not.to.contain('SMTP_URL');
  });

  it('names the variables with the token and the password, without their values', () => {
    const given = { BOOTSTRAP_TOKEN: 't'.repeat(32), BOOTSTRAP_SMTP_PASSWORD: 'p'.repeat(16) };
    const credential = { username: 'inbox', password: given.BOOTSTRAP_SMTP_PASSWORD };
    const text = announced(given, { token: given.BOOTSTRAP_TOKEN, credential });
    expect(text)
      .to.contain('\n  Token        as in BOOTSTRAP_TOKEN\n')
      .and.contain('\n  SMTP login   User inbox, password in BOOTSTRAP_SMTP_PASSWORD\n')
      .and.contain('Try it, with BOOTSTRAP_TOKEN and BOOTSTRAP_SMTP_PASSWORD set:')
      .and.contain('--user "inbox:$BOOTSTRAP_SMTP_PASSWORD"');
    for (const secret of Object.values(given)) expect(text).not.to.contain(secret);
  });

  describe('for other machines', () => {
    const address = (family: 'IPv4' | 'IPv6', address: string, internal = false) => ({
      ...{ address, internal, netmask: '', mac: '', cidr: null },
      ...(family === 'IPv6' ? { family, scopeid: 0 } : { family }),
    });
    const machine = {
      hostname: 'mail-host',
      interfaces: {
        lo: [address('IPv4', '127.0.0.1', true), address('IPv6', '::1', true)],
        eth0: [
          address('IPv4', '192.0.2.7'),
          address('IPv6', '2001:db8::7'),
          address('IPv6', 'fe80::7'),
        ],
      },
    };
    const later = { isNew: false, token: null, credential: null, domainExists: true };
    const lines = (env: NodeJS.ProcessEnv, on: Machine = machine) => {
      const config = readConfig({ DATA_DIR: '/srv/mayfly', ...env }, 'script');
      const text = startMessage(config, later, on);
      expect(text).to.contain('  API          http://');
      const [, shown = ''] = /^ {2}SMTP .*\n((?:.*\n)*?) {2}Queues/m.exec(text) ?? [];
      return shown.trim().split(/\n? {2,}/);
    };
    const hint = 'Links use http://localhost:3000: set PUBLIC_URL to change that.';

    it('lists the addresses of the machine if BIND_HOST is 0.0.0.0', () => {
      expect(lines({ BIND_HOST: '0.0.0.0' })).to.deep.equal([
        ...['Network', 'http://192.0.2.7:3000/', 'SMTP 192.0.2.7:2525'],
        ...['http://mail-host:3000/', 'SMTP mail-host:2525'],
        hint,
      ]);
    });

    it('also lists IPv6 addresses without a zone if BIND_HOST is ::', () => {
      expect(lines({ BIND_HOST: '::', PORT: '80', SMTP_PORT: '25' })).to.include.members([
        ...['http://192.0.2.7:80/', 'SMTP 192.0.2.7:25'],
        ...['http://[2001:db8::7]:80/', 'SMTP [2001:db8::7]:25'],
      ]);
      expect(lines({ BIND_HOST: '::' }).join()).not.to.contain('fe80');
    });

    it('does not mention links if PUBLIC_URL is not localhost', () => {
      const env = { BIND_HOST: '0.0.0.0', PUBLIC_URL: 'https://mayfly.example' };
      expect(lines(env)).to.include('Network').and.not.include(hint);
    });

    it('lists none without external interfaces, or if BIND_HOST is one address', () => {
      const { lo } = machine.interfaces;
      expect(lines({ BIND_HOST: '0.0.0.0' }, { ...machine, interfaces: { lo } })).to.eql(['']);
      for (const BIND_HOST of ['127.0.0.1', '192.0.2.7']) {
        expect(lines({ BIND_HOST })).to.eql(['']);
      }
    });
  });

  it('does not mention the queues page where it is not available', () => {
    expect(announced(production)).not.to.match(/queues|operator/i);
  });
});
