import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { readConfig } from '../../core/config/config.ts';
import { generateKeyring } from '../../core/secrets/keyring.ts';
import { type TempDir, makeTempDir } from '../support/context/temp-dir.ts';
import { codeOf, page } from '../support/docs/pages.ts';
import { processCommands } from '../support/process/deployment.ts';
import { isThere, run } from '../support/process/programs.ts';
import { makeCertificates } from '../support/servers/certificates.ts';

const PAGE = 'docs/deploying.md';
const ROLES = ['web', 'worker', 'smtp'] as const;
/** Variables that the Procfile sets too, in its order. */
const OF_PROCESS = ['MALLOC_ARENA_MAX', 'UV_THREADPOOL_SIZE'];

/** The lines `NAME=VALUE` of a systemd unit, those of one name together. */
function linesOf(unit: string): Map<string, string[]> {
  const lines = new Map<string, string[]>();
  for (const [, name = '', value = ''] of unit.matchAll(/^(\w+)=(.*)$/gm)) {
    lines.set(name, [...(lines.get(name) ?? []), value]);
  }
  return lines;
}

describe('the single server of docs/deploying.md', () => {
  let dir: TempDir;
  before(async () => (dir = await makeTempDir()));
  after(() => dir.remove());

  const unit = (role: string) => codeOf(PAGE, 'ini', `Description=Mayfly ${role}\n`);
  const environment = Object.fromEntries(
    codeOf(PAGE, 'ini', 'NODE_ENV=production')
      .trim()
      .split('\n')
      .map((line) => line.split(/=(.*)/, 2) as [string, string]),
  );

  for (const role of ROLES) {
    it(`starts ${role} with the command of the Procfile and a usable configuration`, () => {
      const lines = linesOf(unit(role));
      const [command = ''] = lines.get('ExecStart') ?? [];
      const own = (lines.get('Environment') ?? []).flatMap((line) => line.split(' '));
      const given = Object.fromEntries(own.map((one) => one.split(/=(.*)/, 2) as [string, string]));
      const ofProcess = Object.entries(given)
        .filter(([name]) => OF_PROCESS.includes(name))
        .map(([name, value]) => `${name}=${value} `);
      expect(`exec env ${ofProcess.join('')}${command.replace('/usr/bin/', '')}`).to.equal(
        processCommands.get(role),
      );
      const secrets = { ENCRYPTION_KEYS: generateKeyring(), OPERATOR_PASSWORD: 'a long password' };
      const config = readConfig({ ...environment, ...secrets, ...given }, role);
      expect(config).to.include({ production: true, trustProxy: 1 });
      expect(page(PAGE).text).to.include(`mayfly-${role}.service\``);
    });
  }

  it('has units that systemd accepts', function () {
    if (!isThere('systemd-analyze')) this.skip();
    const paths = ROLES.map((role) => {
      const path = join(dir.path, `mayfly-${role}.service`);
      // The user and the folder are those of the server.
      writeFileSync(path, unit(role).replace(/^(?:User|WorkingDirectory)=.*\n/gm, ''));
      return path;
    });
    const told = run('sh', [
      '-c',
      'systemd-analyze verify --man=no "$@" 2>&1 || true',
      'sh',
      ...paths,
    ]);
    expect(told.split('\n').filter((line) => line.includes(`${dir.path}/mayfly-`))).to.deep.equal(
      [],
    );
  });

  it('has a configuration that nginx accepts', async function () {
    if (!isThere('nginx')) this.skip();
    const { good, remove } = await makeCertificates();
    await remove();
    const file = (name: string) => join(dir.path, name);
    writeFileSync(file('cert.pem'), good.cert);
    writeFileSync(file('key.pem'), good.key);
    const site = codeOf(PAGE, 'nginx', 'proxy_pass')
      .replace(/(ssl_certificate) .*;/, `$1 ${file('cert.pem')};`)
      .replace(/(ssl_certificate_key) .*;/, `$1 ${file('key.pem')};`);
    const whole = `pid ${file('pid')};\nevents {}\nhttp { access_log off; ${site} }\n`;
    writeFileSync(file('nginx.conf'), whole);
    run('nginx', ['-t', '-q', '-p', dir.path, '-c', 'nginx.conf', '-e', 'stderr']);
  });

  it('has a configuration that Caddy accepts', function () {
    if (!isThere('caddy')) this.skip();
    const path = join(dir.path, 'Caddyfile');
    writeFileSync(path, codeOf(PAGE, 'text', 'reverse_proxy'));
    const home = { HOME: dir.path, XDG_DATA_HOME: dir.path, XDG_CONFIG_HOME: dir.path };
    run('caddy', ['adapt', '--config', path, '--validate'], {
      env: { PATH: process.env.PATH, ...home },
    });
  });
});
