import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, readFile, symlink, writeFile } from 'node:fs/promises';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, matchesGlob } from 'node:path';
import { expect } from 'chai';
import { ROOT } from '../../core/root.ts';
import { tempDir } from '../support/context/temp-dir.ts';
import { follow, run } from '../support/process/programs.ts';

const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');

/** Whether `COPY . .` copies a file: the last pattern that matches it or its folder decides. */
function isInContext(file: string, patterns: string[]): boolean {
  const parts = file.split('/');
  const places = parts.map((_, index) => parts.slice(0, index + 1).join('/'));
  return patterns.reduce((isCopied, pattern) => {
    const glob = pattern.replace(/^!/, '');
    const matches = places.some((place) => glob === '*' || matchesGlob(place, glob));
    return matches ? pattern.startsWith('!') : isCopied;
  }, true);
}

/** The exit code of the health check of the image. */
async function healthOf(env: Record<string, string>): Promise<number | null> {
  const [, command = ''] = /^ {2}CMD (\[.+\])$/m.exec(read('Dockerfile')) ?? [];
  const [, ...args] = JSON.parse(command) as string[];
  return follow(spawn(process.execPath, args, { env })).exited;
}

describe('the image', () => {
  const folder = tempDir('each');

  it('is built from the files that .dockerignore leaves, and has the programs of its commands', async () => {
    const dockerfile = read('Dockerfile');
    const [, build, product = ''] = /^RUN (scripts\/\S+) (\/\S+)$/m.exec(dockerfile) ?? [];
    const [, main = ''] = /^CMD \["node", "(\S+)"\]$/m.exec(dockerfile) ?? [];
    const [, packages = ''] = /^COPY (\S.*) \.\/$/m.exec(dockerfile) ?? [];
    expect(dockerfile)
      .to.match(/^COPY \. \.$/m)
      .and.include(`COPY --from=build ${product} ./`);

    const patterns = read('.dockerignore').trim().split('\n');
    for (const file of packages.split(' ')) {
      expect(isInContext(file, patterns), file).to.equal(true);
    }
    const files = run('git', ['ls-files', '--cached', '--others', '--exclude-standard']);
    const checkout = join(folder.path, 'build');
    for (const file of files.trim().split('\n')) {
      if (existsSync(join(ROOT, file)) && isInContext(file, patterns)) {
        await cp(join(ROOT, file), join(checkout, file));
      }
    }
    for (const name of ['node_modules', '.node']) {
      if (existsSync(join(ROOT, name))) await symlink(join(ROOT, name), join(checkout, name));
    }
    const staged = join(folder.path, product);
    run(join(checkout, build!), [staged], { cwd: checkout, stdio: 'pipe' });

    const programs = (await readFile(join(staged, 'Procfile'), 'utf8')).match(/dist\/\S+\.js/g);
    expect(programs).to.have.length.above(3);
    for (const program of [main, 'dist/dashboard/index.html', ...programs!]) {
      expect(existsSync(join(staged, program)), program).to.equal(true);
    }
  });

  it('is healthy while /readyz answers 200, also on a port that was chosen', async () => {
    const server = createServer((_req, res) => res.writeHead(status).end());
    let status = 200;
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const READY_FILE = join(folder.path, 'ready.json');
    try {
      expect(await healthOf({ PORT: '0', READY_FILE })).to.equal(1);
      await writeFile(READY_FILE, JSON.stringify({ url: `http://127.0.0.1:${port}` }));
      expect(await healthOf({ PORT: '0', READY_FILE })).to.equal(0);
      expect(await healthOf({ PORT: `${port}` })).to.equal(0);
      status = 503;
      expect(await healthOf({ PORT: `${port}` })).to.equal(1);
    } finally {
      server.close();
    }
  });
});
