import { cp, readFile, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { ROOT } from '../../core/root.ts';
import { makeTempDir } from '../support/context/temp-dir.ts';
import { eventually } from '../support/mocha/eventually.ts';
import { launchUp } from '../support/process/product.ts';
import { run } from '../support/process/programs.ts';

const DEV = 'scripts/dev/main.ts';

interface Package {
  version: string;
}

describe('npm run dev', () => {
  it('runs the source, and restarts only the process that a saved file changes', async () => {
    const folder = await makeTempDir();
    const dev = await launchUp({ DATA_DIR: folder.path }, undefined, DEV);
    try {
      const [, page = ''] = await eventually('the dashboard to be served', () =>
        /^Dashboard with hot reload: (http\S+)$/m.exec(dev.output()),
      );
      const [, token = ''] = /^ {2}Token +(\S+)$/m.exec(dev.output()) ?? [];
      expect(await (await fetch(page)).text()).to.include('/@vite/client');
      const mailboxes = await fetch(new URL('api/mailboxes', page), {
        headers: { Authorization: `Bearer ${token}` },
      });
      expect(mailboxes.status).to.equal(200);
      expect(dev.output()).to.match(/^worker +\| \d\d:\d\d:\d\d\.\d{3} info +ready$/m);

      // Only the smtp process loads it.
      const saved = new Date();
      await utimes(join(ROOT, 'haraka-plugin/replies.ts'), saved, saved);
      const restarts = () => [...dev.output().matchAll(/^(\w+) +\| Restarting /gm)];
      const ready = () => [...dev.output().matchAll(/^smtp +\| .* info +ready$/gm)];
      await eventually('smtp to be ready again', () => ready().length === 2);
      expect(restarts().map(([, name]) => name)).to.deep.equal(['smtp']);
    } finally {
      dev.child.kill('SIGTERM');
      await dev.exited;
      await folder.remove();
    }
    expect(await dev.exited).to.equal(0);
  });

  it('rejects a process that does not exist', async () => {
    const dev = await launchUp({}, '--inspect=mailer', DEV);
    expect(await dev.exited).to.equal(1);
    expect(dev.output()).to.equal(
      'mayfly: Usage: npm run dev [-- --inspect PROCESS], where PROCESS is web, worker or smtp\n',
    );
  });
});

describe('node scripts/dev/set-version.ts', () => {
  it('sets the version in each file that repeats it', async () => {
    const folder = await makeTempDir();
    const { version } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as Package;
    const where = [
      'packages',
      'examples',
      '*.json',
      'openapi.yaml',
      ':!packages/client/node_modules',
    ];
    const files = run('git', ['grep', '-lF', version, '--', ...where])
      .trim()
      .split('\n');
    for (const file of files) await cp(join(ROOT, file), join(folder.path, file));
    run('node', ['scripts/dev/set-version.ts', '7.8.9', folder.path]);
    for (const file of files) {
      const text = await readFile(join(folder.path, file), 'utf8');
      if (file === 'package-lock.json') {
        const { packages } = JSON.parse(text) as { packages: Record<string, Package> };
        const own = ['', 'packages/client'].map((name) => packages[name]?.version);
        expect(own).to.deep.equal(['7.8.9', '7.8.9']);
        continue;
      }
      // openapi.yaml has the version as an example in a sentence, too.
      const left = text
        .split('\n')
        .filter((line) => line.includes(version) && !line.includes('such as'));
      expect(left, file).to.deep.equal([]);
    }
    await folder.remove();
  });
});
