import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { removeMethod, replaceMethod } from '../../../haraka-plugin/patches/replace-method.ts';
import { type TempDir, makeTempDir } from '../../support/context/temp-dir.ts';
import { launch } from '../../support/process/process.ts';
import { freePort } from '../../support/servers/free-port.ts';
import { type TestRedis, startRedis } from '../../support/servers/redis.ts';

const ADVICE = 'Install the Haraka version of package-lock.json or update the patch.';

describe('The replacement of a method of Haraka', () => {
  const harakaWith = (connection: object) => ({
    version: '9.9.9',
    connection: connection as Haraka.Connection,
  });

  it('receives the method that it replaces', () => {
    const lines: string[] = [];
    const haraka = harakaWith({ cmd_rcpt: (rest: string) => lines.push(rest) });
    replaceMethod(
      haraka,
      'connection',
      'cmd_rcpt',
      1,
      (take) =>
        function (rest) {
          take.call(this, `<${rest}>`);
        },
    );
    replaceMethod(
      haraka,
      'connection',
      'cmd_rcpt',
      1,
      (take) =>
        function (rest) {
          take.call(this, rest.toUpperCase());
        },
    );
    haraka.connection.cmd_rcpt('a');
    expect(lines).to.deep.equal(['<A>']);
  });

  it('fails if the method is missing, is not a function, or has other parameters', () => {
    for (const [connection, found] of [
      [{}, 'is not a function'],
      [{ cmd_rcpt: 'a' }, 'is not a function'],
      [{ cmd_rcpt: (rest: string, more: string) => rest + more }, 'has 2 parameters'],
    ] as const) {
      const haraka = harakaWith(connection);
      const text =
        `haraka-plugin/patches does not support Haraka 9.9.9: connection.cmd_rcpt ${found}, ` +
        `the patch requires a function with 1 parameter. ${ADVICE}`;
      expect(() => {
        replaceMethod(haraka, 'connection', 'cmd_rcpt', 1, (take) => take);
      }).to.throw(text);
      expect(() => {
        removeMethod(haraka, 'connection', 'cmd_rcpt', 1);
      }).to.throw(text);
    }
  });

  it('also removes a method that the prototype inherits', () => {
    class Base {
      cmd_internalcmd(line: string) {
        return line;
      }
    }
    const haraka = harakaWith(new (class extends Base {})());
    removeMethod(haraka, 'connection', 'cmd_internalcmd', 1);
    expect(haraka.connection.cmd_internalcmd).to.equal(undefined);
  });
});

describe('SMTP: starting with an unsupported Haraka', () => {
  let dir: TempDir;
  let redis: TestRedis;
  before(async () => {
    dir = await makeTempDir();
    redis = await startRedis(dir.path);
  });
  after(async () => {
    await redis.stop();
    await dir.remove();
  });

  for (const [name, change, fault] of [
    [
      'a renamed command',
      "rename(load('./connection').Connection.prototype, 'cmd_mail')",
      'connection.cmd_mail is not a function, the patch requires a function with 1 parameter',
    ],
    [
      'a removed INTERNALCMD',
      "rename(load('./connection').Connection.prototype, 'cmd_internalcmd')",
      'connection.cmd_internalcmd is not a function, the patch requires a function with 1 parameter',
    ],
    [
      'a reply with one more parameter',
      "load('./connection').Connection.prototype.respond = (code, status, text, then) => {}",
      'connection.respond has 4 parameters, the patch requires a function with 3 parameters',
    ],
    [
      'a renamed method of a transaction',
      "rename(load('./transaction').Transaction.prototype, 'end_data')",
      'transaction.end_data is not a function, the patch requires a function with 1 parameter',
    ],
    [
      'a renamed function of haraka-utils',
      "rename(load('haraka-utils'), 'indexOfLF')",
      'utils.indexOfLF is not a function, the patch requires a function with 2 parameters',
    ],
  ] as const) {
    it(`rejects ${name} and names the method and the version`, async () => {
      const preload = join(dir.path, 'preload.cjs');
      await writeFile(preload, `${PRELOAD}\n${change};\n`);
      const smtp = launch('haraka-plugin/server', {
        NODE_OPTIONS: `--require ${preload}`,
        DATA_DIR: dir.path,
        BIND_HOST: '127.0.0.1',
        SMTP_PORT: String(await freePort()),
      });
      smtp.child.once('message', () => void smtp.stop()); // it has started
      expect(await smtp.exited).to.equal(1);
      expect(smtp.stderr()).to.match(
        /^mayfly: haraka-plugin\/patches does not support Haraka \d+\.\d+\.\d+: /,
      );
      expect(smtp.stderr()).to.contain(`: ${fault}. ${ADVICE}`);
    });
  }
});

/** Loads Haraka before the SMTP process does, in order to change it. */
const PRELOAD = `
const { createRequire } = require('node:module');
const { resolve } = require('node:path');
process.env.HARAKA = resolve('haraka-plugin');
process.env.HARAKA_LOGS_SUPPRESS = 'true';
const here = createRequire(resolve('package.json'));
const load = createRequire(here.resolve('Haraka/package.json'));
function rename(object, name) {
  object[name + '_renamed'] = object[name];
  delete object[name];
}
`;
