import { join } from 'node:path';
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { parse } from 'yaml';
import { ROOT } from '../../core/root.ts';
import { type ProcessRole, readConfig, variableNames } from '../../core/config/config.ts';
import { generateKeyring } from '../../core/secrets/keyring.ts';
import { parseProcfile } from '../../scripts/supervise/procfile.ts';
import { composeFaults, withDotEnv } from '../support/docs/compose-file.ts';

interface Service {
  command: string[];
  environment: Record<string, string | number>;
}

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
/** What a user puts into `.env`. */
const DOT_ENV: Record<string, string> = {
  MAIL_DOMAIN: 'mayfly.example',
  ENCRYPTION_KEYS: generateKeyring(),
  OPERATOR_PASSWORD: 'for the operator',
  POSTGRES_PASSWORD: 'for-postgres',
  S3_SECRET_KEY: 'for-s3',
};
/** Variables of Node.js and of the C library, in the Procfile too. */
const OF_NODE = ['MALLOC_ARENA_MAX', 'UV_THREADPOOL_SIZE'];
const ROLES: Record<string, ProcessRole> = {
  web: 'web',
  worker: 'worker',
  smtp: 'smtp',
  migrate: 'migrate',
};

/** The file with the variables of `.env` in their places, as Compose reads it. */
function readCompose(dotEnv: Record<string, string>): { services: Record<string, Service> } {
  const text = withDotEnv(read('compose.yaml'), dotEnv);
  return parse(text, { merge: true }) as { services: Record<string, Service> };
}

describe('compose.yaml', () => {
  const compose = readCompose(DOT_ENV);

  it('fits the schema of the Compose specification', () => {
    expect(composeFaults(compose)).to.deep.equal([]);
  });

  for (const name of Object.keys(DOT_ENV)) {
    it(`does not start without ${name}`, () => {
      const rest = Object.entries(DOT_ENV).filter(([other]) => other !== name);
      expect(() => readCompose(Object.fromEntries(rest))).to.throw(`${name} is not given`);
    });
  }

  for (const [name, role] of Object.entries(ROLES)) {
    it(`gives ${name} variables that the configuration has, with valid values`, () => {
      const { environment = {} } = compose.services[name] ?? {};
      expect([...variableNames, ...OF_NODE]).to.include.members(Object.keys(environment));
      // Compose turns numbers into text.
      const given = Object.entries(environment).map(([key, value]) => [key, String(value)]);
      const config = readConfig(Object.fromEntries(given) as NodeJS.ProcessEnv, role);
      expect(config).to.include({ production: true, redisIsEmbedded: false });
      expect(config.database.kind).to.equal('postgres');
      expect(config.s3).to.include({ bucket: 'mayfly', forcePathStyle: true });
    });
  }

  it('runs the commands of the Procfile', () => {
    const { release, processes } = parseProcfile(read('Procfile'));
    for (const [name, line] of [...processes, ['migrate', release ?? ''] as const]) {
      const { command, environment } = compose.services[name]!;
      expect(line).to.match(RegExp(` ${command.join(' ')}$`));
      for (const [, variable = '', value] of line.matchAll(/([A-Z_]+)=(\w+)/g)) {
        expect(String(environment[variable])).to.equal(value);
      }
    }
  });
});
