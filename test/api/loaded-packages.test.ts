import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { ROOT } from '../../core/root.ts';

/**
 * The names of the packages that importing a module loads.
 * @param use code that runs then, with the `module`; what it prints is taken for paths as well.
 */
async function packagesOf(entry: string, use = ''): Promise<Set<string>> {
  const script = `
    import { createRequire, registerHooks } from 'node:module';
    const loaded = new Set();
    registerHooks({ load: (url, context, next) => (loaded.add(url), next(url, context)) });
    const module = await import('./${entry}');
    ${use}
    const { cache } = createRequire(import.meta.url);
    // A module that takes the place of another one has no file.
    const files = Object.values(cache).map(({ filename }) => filename);
    process.stdout.write([...loaded, ...files].join('\\n'));
    process.exit(0);`;
  const quick = './scripts/dev/quick-imports.ts';
  const args = ['--import', quick, '--input-type=module', '--eval', script];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: ROOT });
  const names = stdout.matchAll(/node_modules\/((?:@[^/\n]+\/)?[^/\n]+)/g);
  return new Set([...names].map(([, name = '']) => name));
}

describe('the packages that a process loads at its start', () => {
  it('are, for web, without parser, composer, queues page, S3 client and tools for agents', async () => {
    const loaded = await packagesOf('api/serve.ts');
    expect([...loaded]).to.include.members(['express', 'bullmq']);
    const late = ['mailparser', 'nodemailer', '@bull-board/api', '@aws-sdk/client-s3'];
    late.push('@modelcontextprotocol/server');
    expect(late.filter((name) => loaded.has(name))).to.deep.equal([]);
  });

  it('are, for smtp, without those with which Haraka sends mail and looks up domains', async () => {
    const loaded = await packagesOf('haraka-plugin/load-haraka.ts', `module.loadHaraka('.');`);
    expect([...loaded]).to.include.members(['Haraka', 'haraka-net-utils', 'haraka-config']);
    const none = ['haraka-plugin-redis', 'redis', 'haraka-tld', 'yaml', 'encoding-japanese'];
    expect(none.filter((name) => loaded.has(name))).to.deep.equal([]);
  });

  it('are, for the worker, without web server and S3 client', async () => {
    const loaded = await packagesOf('jobs/index.ts');
    const none = ['express', 'nodemailer', '@bull-board/api', '@aws-sdk/client-s3'];
    expect(none.filter((name) => loaded.has(name))).to.deep.equal([]);
  });
});
