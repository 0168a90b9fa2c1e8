import { copyFile, cp, readFile, rename, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { OUTSIDE_API } from '../../api/outside-api.ts';
import { ROOT } from '../../core/root.ts';
import { makeTempDir } from '../support/context/temp-dir.ts';
import { eventually } from '../support/mocha/eventually.ts';
import { npmCommand } from '../support/process/npm-script.ts';
import { launch } from '../support/process/product.ts';
import { run } from '../support/process/programs.ts';

const REPLIES = join(ROOT, 'haraka-plugin/replies.ts'); // only the smtp process loads it

interface Package {
  version: string;
}

describe('npm run dev', () => {
  const launchDev = (env: Record<string, string>, ...args: string[]) =>
    launch('sh', npmCommand('dev', args), env);

  /** Gives the file a new inode, as `sed -i`, `git checkout` and most editors do. */
  const replace = async (path: string) => {
    await copyFile(path, `${path}.new`);
    await rename(`${path}.new`, path);
  };

  it('runs the source, and restarts only the process that a saved file changes', async () => {
    const folder = await makeTempDir();
    const dev = await launchDev({ DATA_DIR: folder.path });
    try {
      const [, page = ''] = await eventually(
        'the dashboard to be served',
        () => /^Dashboard with hot reload: (http\S+)$/m.exec(dev.output()),
        240_000,
      );
      const [, token = ''] = /^ {2}Token +(\S+)$/m.exec(dev.output()) ?? [];
      expect(await (await fetch(page)).text()).to.include('/@vite/client');
      const mailboxes = await fetch(new URL('api/mailboxes', page), {
        headers: { Authorization: `Bearer ${token}` },
      });
      expect(mailboxes.status).to.equal(200);
      for (const path of [...OUTSIDE_API, 'compat/mailpit/api/v1/info', 'docs/start.js']) {
        const { headers } = await fetch(new URL(path, page), { redirect: 'manual' });
        expect(headers.has('Mayfly-Version'), path).to.equal(true);
      }
      expect(dev.output()).to.match(/^worker +\| \d\d:\d\d:\d\d\.\d{3} info +ready$/m);

      const restarts = () => [...dev.output().matchAll(/^(\w+) +\| Restarting /gm)];
      const ready = () => [...dev.output().matchAll(/^smtp +\| .* info +ready$/gm)];
      for (const starts of [2, 3]) {
        await replace(REPLIES);
        await eventually('smtp to be ready again', () => ready().length === starts);
      }
      const saved = new Date();
      await utimes(REPLIES, saved, saved);
      await eventually('smtp to be ready again', () => ready().length === 4);
      expect(restarts().map(([, name]) => name)).to.deep.equal(['smtp', 'smtp', 'smtp']);
    } finally {
      dev.child.kill('SIGTERM');
      await dev.exited;
      await folder.remove();
    }
    expect(await dev.exited).to.equal(0);
  });

  it('rejects a process that does not exist', async () => {
    const dev = await launchDev({}, '--inspect=mailer');
    expect(await dev.exited).to.equal(1);
    expect(dev.output()).to.equal(
      'mayfly: Usage: npm run dev [-- --inspect PROCESS], where PROCESS is web, worker or smtp\n',
    );
  });
});

describe('npm run version:set', () => {
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
    run('sh', npmCommand('version:set', ['7.8.9', folder.path]));
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
