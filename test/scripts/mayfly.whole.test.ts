import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { ROOT } from '../../core/root.ts';
import { makeTempDir } from '../support/context/temp-dir.ts';
import { runtimePackages } from '../../scripts/package/runtime-packages.ts';
import { spawnSync } from 'node:child_process';

const json = (file: string) => JSON.parse(readFileSync(join(ROOT, file), 'utf8'));
const mayfly = (args: string[], env: Record<string, string> = {}) =>
  spawnSync(process.execPath, [join(ROOT, 'dist/scripts/mayfly.js'), ...args], {
    ...{ encoding: 'utf8' as const, cwd: '/' },
    env: { HOME: '/home/nobody', ...env },
  });

describe('mayfly', () => {
  it('has the commands of operators by the names of package.json', () => {
    const { stdout } = mayfly(['--help']);
    const listed = Array.from(stdout.matchAll(/^ {2}([a-z][\w:]*) /gm), ([, name]) => name);
    const { scripts } = json('package.json') as { scripts: Record<string, string> };
    const run = Object.keys(scripts).filter((name) => scripts[name]?.startsWith('scripts/run '));
    expect(listed).to.have.members(['up', ...run]);
  });

  it('keeps its data in the folder of the user, or in DATA_DIR', () => {
    const place = (env: Record<string, string>) =>
      /^The data is in (.*) \(DATA_DIR\)\.$/m.exec(mayfly([], env).stdout)?.[1];
    expect(place({})).to.equal('/home/nobody/.local/share/mayfly');
    expect(place({ XDG_DATA_HOME: '/data' })).to.equal('/data/mayfly');
    expect(place({ XDG_DATA_HOME: 'relative' })).to.equal('/home/nobody/.local/share/mayfly');
    expect(place({ DATA_DIR: 'here' })).to.equal('/here');
  });

  it('takes READY_FILE relative to the current folder', async () => {
    const folder = await makeTempDir();
    try {
      const env = {
        DATA_DIR: folder.path,
        READY_FILE: 'none/ready.json',
        PORT: '0',
        SMTP_PORT: '0',
      };
      expect(mayfly(['up'], env).stderr).to.match(
        /^mayfly: READY_FILE "\/none\/ready\.json" cannot be written \(.*\)\. Set it to a file /,
      );
    } finally {
      await folder.remove();
    }
  });

  it('names an unknown command, with exit code 2', () => {
    for (const name of ['start', 'toString']) {
      const { status, stdout, stderr } = mayfly([name]);
      expect([status, stdout]).to.deep.equal([2, '']);
      expect(stderr).to.include(`"${name}" is not a command.`).and.include('usage: mayfly');
    }
  });

  it('shows the usage of a command without arguments, and refuses arguments', () => {
    const { status, stdout } = mayfly(['up', '--help']);
    expect(status).to.equal(0);
    expect(stdout).to.include('usage: mayfly up\n').and.include('starts everything until Ctrl-C.');
    const refused = mayfly(['mcp', 'now']);
    expect(refused.status).to.equal(2);
    expect(refused.stderr).to.include('"mcp" takes no arguments, but there is "now".');
    expect(mayfly(['code']).stderr).to.include('@mayfly/cli');
    expect(mayfly(['help']).stdout).to.equal(mayfly(['--help']).stdout);
  });

  it('shows the usage of a command as it is called', () => {
    const { stderr } = mayfly(['token:create']);
    expect(stderr).to.match(/usage: \/\S+\/scripts\/mayfly\.[jt]s token:create --domain/);
    const placed = mayfly(['token:create'], { DATA_DIR: '/x' }).stderr;
    expect(placed).to.match(/usage: DATA_DIR='\/x' \/\S+\/mayfly\.[jt]s token:create/);
  });
});

describe('the packages in the package', () => {
  const lock = (packages: object) => ({ lockfileVersion: 3, packages });

  it('are those that the product depends on, found as Node.js finds them', () => {
    const packages = {
      'node_modules/a': { dependencies: { b: '1', c: '1' } },
      'node_modules/a/node_modules/b': { dependencies: { c: '1' } },
      'node_modules/b': {},
      'node_modules/c': { dependencies: { a: '1' } },
      'node_modules/tool': { dev: true },
    };
    expect(runtimePackages(lock(packages), ['a'])).to.deep.equal([
      'node_modules/a',
      'node_modules/a/node_modules/b',
      'node_modules/c',
    ]);
  });

  it('are none of those that are suggested and not loaded, nor one that npm would compile', () => {
    const { dependencies } = json('package.json') as { dependencies: object };
    const whole = json('package-lock.json') as {
      packages: Record<string, { dev?: boolean; hasInstallScript?: boolean }>;
    };
    const places = runtimePackages(whole, Object.keys(dependencies));
    expect(places).to.include.members(['node_modules/Haraka', 'node_modules/haraka-plugin-redis']);
    expect(places).to.not.include('node_modules/haraka-plugin-spf');
    expect(places.filter((place) => whole.packages[place]?.dev)).to.deep.equal([]);
    const compiled = places.filter((place) => whole.packages[place]?.hasInstallScript);
    // It contains binaries for all platforms, and its recipe is left out.
    expect(compiled).to.deep.equal(['node_modules/better-sqlite3']);
  });
});
