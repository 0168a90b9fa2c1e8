import { join } from 'node:path';
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { ROOT } from '../../core/root.ts';
import { readConfig } from '../../core/config/config.ts';
import { generateKeyring } from '../../core/secrets/keyring.ts';
import { processNames } from '../support/process/deployment.ts';
import { page } from '../support/docs/pages.ts';

interface App {
  formation: Record<string, object>;
  env: Record<string, { value?: string; required?: boolean; generator?: string }>;
}

const app = JSON.parse(readFileSync(join(ROOT, 'app.json'), 'utf8')) as App;

describe('app.json', () => {
  it('names processes of the Procfile, and variables of the configuration', () => {
    expect(Object.keys(app.formation)).to.have.members(processNames);
    for (const name of Object.keys(app.env))
      expect(page('docs/configuration.md').text).to.match(RegExp(`^\\| \`${name}\``, 'm'));
  });

  it('makes a configuration that can be used, with what a platform fills in', () => {
    const given: Record<string, string> = {
      ...{ DATABASE_URL: 'postgres://a:b@db.example/c', REDIS_URL: 'rediss://:d@redis.example' },
      ...{ PUBLIC_URL: 'https://mayfly.example', S3_BUCKET: 'mail', PORT: '5000' },
      ...{ AWS_ACCESS_KEY_ID: 'e', AWS_SECRET_ACCESS_KEY: 'f' },
      ENCRYPTION_KEYS: generateKeyring(),
      OPERATOR_PASSWORD: 'made by the platform',
    };
    for (const [name, { value, required }] of Object.entries(app.env)) {
      if (value !== undefined) given[name] = value;
      else if (required !== false) expect(given).to.have.property(name);
    }
    const config = readConfig(given, 'web');
    expect(config).to.include({ production: true, trustProxy: 1 });
    expect(config.http).to.include({ port: 5000, publicUrl: 'https://mayfly.example' });
    expect(config.redisTls).to.deep.equal({ rejectUnauthorized: false });
  });
});
