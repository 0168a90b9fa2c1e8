import { spawn } from 'node:child_process';
import { chmod, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { networkInterfaces } from 'node:os';
import { delimiter, join } from 'node:path';
import { createClient } from '@mayfly/client';
import { expect } from 'chai';
import { createTransport } from 'nodemailer';
import { parse } from 'yaml';
import { readConfig, variableNames } from '../../core/config/config.ts';
import { ROOT } from '../../core/root.ts';
import { type TempDir, makeTempDir } from '../support/context/temp-dir.ts';
import { codeOf, page } from '../support/docs/pages.ts';
import { composeFaults, withDotEnv } from '../support/docs/compose-file.ts';
import { eventually } from '../support/mocha/eventually.ts';
import { startProduct } from '../support/process/product.ts';
import { type Followed, follow, isThere, run } from '../support/process/programs.ts';
import { freePort } from '../support/servers/free-port.ts';

const PAGE = page('docs/continuous-integration.md').path;
/** The test of an imaginary application, which sends mail to the SMTP_URL of the job. */
const NPM_TEST = `
import { createClient } from '@mayfly/client';
import { createTransport } from 'nodemailer';
const inbox = await createClient().mailboxes.create({ expiresIn: 300 });
const mail = { from: 'a@shop.example', subject: 'Sign in', text: 'Your code is 482913.' };
await createTransport(process.env.SMTP_URL).sendMail({ ...mail, to: inbox.address });
if ((await inbox.waitForCode()) !== '482913') throw new Error('another code');
console.log('tested');
`;

interface Step {
  code: string;
  env: Record<string, string>;
  inBackground?: boolean;
  /** Only after a failed step. */
  afterFailure?: boolean;
}

type Job = Record<string, never> & { [key: string]: unknown };

/** The commands of each service, in their order. */
const SERVICES: Record<string, (job: Job) => Step[]> = {
  'runs-on: ubuntu-latest': (file) => {
    const { env, steps } = (file as unknown as GitHub).jobs.test;
    return steps.flatMap(({ run: code, if: condition, env: own = {} }) =>
      code === undefined
        ? []
        : [{ code, env: { ...env, ...own }, afterFailure: condition === 'failure()' }],
    );
  },
  before_script: (file) => {
    const { variables: env, ...job } = (file as unknown as GitLab).test;
    const code = ['set -e', ...job.before_script, ...job.script].join('\n');
    return [
      { code, env },
      { code: job.after_script.join('\n'), env, afterFailure: true },
    ];
  },
  cimg: (file) => {
    const { environment: env, steps } = (file as unknown as CircleCi).jobs.test;
    return steps.flatMap((step) => {
      if (typeof step === 'string') return [];
      if (typeof step.run === 'string') return [{ code: step.run, env }];
      const { command: code, background: inBackground = false, when } = step.run;
      return [{ code, env, inBackground, afterFailure: when === 'on_fail' }];
    });
  },
};

interface GitHub {
  jobs: {
    test: {
      env: Record<string, string>;
      steps: { run?: string; if?: string; env?: Record<string, string> }[];
    };
  };
}
interface GitLab {
  test: { variables: Record<string, string> } & Record<
    'before_script' | 'script' | 'after_script',
    string[]
  >;
}
interface CircleCi {
  jobs: {
    test: {
      environment: Record<string, string>;
      steps: (
        string | { run: string | { command: string; background?: boolean; when?: string } }
      )[];
    };
  };
}

describe('the recipes for continuous integration', () => {
  let dir: TempDir;
  let started: Followed[];
  beforeEach(async () => {
    dir = await makeTempDir();
    started = [];
  });
  afterEach(async () => {
    for (const { child, exited } of started) {
      if (child.pid !== undefined) signal(child.pid);
      await exited;
    }
    await dir.remove();
  });

  /** A project with the built package in vendor/, where npm and the installer do nothing. */
  const makeProject = async () => {
    const [project, bin] = [join(dir.path, 'project'), join(dir.path, 'bin')];
    for (const folder of [join(project, 'vendor'), bin]) await mkdir(folder, { recursive: true });
    const content = join(dir.path, 'package');
    await mkdir(join(content, 'dist/scripts'), { recursive: true });
    await writeFile(join(content, 'package.json'), '{ "type": "module" }');
    const program = join(content, 'dist/scripts/mayfly.js');
    const built = join(ROOT, 'dist/scripts/mayfly.js');
    await writeFile(program, `#!/usr/bin/env node\nawait import('${built}');\n`, { mode: 0o755 });
    await symlink(join(ROOT, 'node_modules'), join(project, 'node_modules'));
    run('tar', ['-czf', join(project, 'vendor/mayfly-0.1.0.tgz'), '-C', dir.path, 'package']);
    await writeFile(join(project, 'test.mjs'), NPM_TEST);
    const programs = {
      npm: 'if [ "$1" = test ]; then exec node test.mjs; fi',
      sudo: 'exec "$@"',
      'apt-get': ':',
    };
    for (const [name, code] of Object.entries(programs)) {
      await writeFile(join(bin, name), `#!/bin/sh\n${code}\n`);
      await chmod(join(bin, name), 0o755);
    }
    return { project, PATH: [bin, process.env['PATH']].join(delimiter) };
  };

  /**
   * Runs the job whose file has this part.
   * @param change of the file
   * @returns whether all steps succeed, and their output
   */
  const runJob = async (part: string, change: (file: string) => string) => {
    const { project, PATH } = await makeProject();
    const [port, smtpPort] = await Promise.all([freePort(), freePort()]);
    const temp = join(dir.path, 'temp');
    await mkdir(temp);
    const text = change(codeOf(PAGE, 'yaml', part))
      .replaceAll(':3000', `:${port}`)
      .replaceAll(':2525', `:${smtpPort}`)
      .replaceAll('/tmp', temp)
      .replaceAll('${{ runner.temp }}', temp);
    const [, token = ''] = /MAYFLY_TOKEN: (\S+)/.exec(text) ?? [];
    const file = text.replaceAll(/\$\{\{ env\.MAYFLY_TOKEN \}\}|: \$MAYFLY_TOKEN/g, (found) =>
      found.startsWith(':') ? `: ${token}` : token,
    );
    let succeeds = true;
    for (const { code, env, inBackground, afterFailure = false } of SERVICES[part]!(
      parse(file) as Job,
    )) {
      if (afterFailure === succeeds) continue;
      const ports = { PORT: `${port}`, SMTP_PORT: `${smtpPort}`, RUNNER_TEMP: temp };
      const child = spawn('bash', ['-e', '-c', code], {
        ...{ cwd: project, detached: true, stdio: ['ignore', 'pipe', 'pipe'] },
        env: { PATH, HOME: dir.path, ...ports, ...env },
      });
      started.push(follow(child));
      if (inBackground) continue;
      // Its background processes can keep the output open.
      succeeds &&= (await new Promise((resolve) => child.once('exit', resolve))) === 0;
    }
    return { succeeds, output: () => started.map((step) => step.output()).join('\n') };
  };

  for (const part of Object.keys(SERVICES)) {
    it(`run their steps, and the test passes: ${part}`, async function () {
      if (!isThere('redis-server')) this.skip();
      const { succeeds, output } = await runJob(part, (file) => file);
      expect(succeeds, output()).to.equal(true);
      await eventually('the output of the test', () => output().includes('tested'));
    });

    it(`fail at once, with the log, if Mayfly does not start: ${part}`, async () => {
      const { succeeds, output } = await runJob(part, (file) =>
        file.replaceAll(/(MAYFLY_TOKEN: )\S+/g, '$1short'),
      );
      expect(succeeds, output()).to.equal(false);
      await eventually('the log', () => output().includes('Invalid configuration'));
      expect(output()).to.include('Mayfly has ended, or was not ready within 300 s.');
    });
  }

  it('fail, with the log, if Mayfly is slow: all wait by the same command', async () => {
    const waits = Object.keys(SERVICES).map(
      (part) => /timeout 300.+\n.+/.exec(codeOf(PAGE, 'yaml', part))?.[0].split(/\s+/) ?? [],
    );
    for (const wait of waits) expect(wait).to.deep.equal(waits[0]).and.not.be.empty;
    const { succeeds, output } = await runJob('before_script', (file) =>
      file.replace('timeout 300', 'timeout 0.1'),
    );
    expect(succeeds, output()).to.equal(false);
    expect(output()).to.include('Mayfly has ended, or was not ready within 300 s.');
  });

  it('have the workflow of the examples', async () => {
    const example = await readFile(join(ROOT, 'examples/ci/github-actions.yml'), 'utf8');
    expect(example).to.include(codeOf(PAGE, 'yaml', 'runs-on: ubuntu-latest'));
  });

  it('have a compose file whose Mayfly catches mail and calls webhooks in its network', async () => {
    const secrets = { MAYFLY_TOKEN: 'x'.repeat(32), MAYFLY_SMTP_PASSWORD: 'y'.repeat(16) };
    const text = codeOf(PAGE, 'yaml', 'services:');
    for (const name of Object.keys(secrets)) {
      expect(() => withDotEnv(text, { ...secrets, [name]: '' })).to.throw(`${name} is not given`);
    }
    const compose = parse(withDotEnv(text, secrets)) as {
      services: Record<'mayfly' | 'shop', { environment: Record<string, string> }>;
    };
    expect(composeFaults(compose)).to.deep.equal([]);
    const { mayfly, shop } = compose.services;
    expect(variableNames).to.include.members(Object.keys(mayfly.environment));
    const own = privateAddress();
    const product = await startProduct({ BIND_HOST: '0.0.0.0', ...mayfly.environment });
    try {
      const host = own ?? '127.0.0.1';
      const client = createClient({
        url: `http://${host}:${product.httpPort}`,
        token: shop.environment['MAYFLY_TOKEN'] ?? '',
      });
      const smtpUrl = shop.environment['SMTP_URL'] ?? '';
      const login = smtpUrl.replace('mayfly:2525', `${host}:${product.smtpPort}`);
      // Without a login only from a private network.
      const urls = [login, ...(own === null ? [] : [`smtp://${own}:${product.smtpPort}`])];
      for (const [n, url] of urls.entries()) {
        const to = `customer-${n}@gmail.com`;
        await createTransport(url).sendMail({ from: 'a@b.test', to, text: 'x' });
        await client.inbox('inbox').wait({ to });
      }
      const body = { url: 'http://192.168.0.7:8080/hooks' };
      const params = { path: { name: 'inbox' } };
      await client.api.POST('/api/mailboxes/{name}/webhooks', { params, body });
    } finally {
      await product.stop();
    }
  });

  for (const language of ['java', 'go', 'csharp', 'js', 'python']) {
    it(`start the image with valid variables in Testcontainers: ${language}`, () => {
      const code = codeOf(PAGE, language, 'only-for-the-tests-of-this-project');
      expect(code)
        .to.include('/readyz')
        .and.match(/\b3000\b/)
        .and.match(/\b2525\b/);
      const given = [...code.matchAll(/['"]?([A-Z_]{8,})['"]?[,:] *['"]([^'"]+)['"]/g)];
      const env = Object.fromEntries(given.map(([, name = '', value]) => [name, value]));
      expect(Object.keys(env)).to.have.members([
        ...['BOOTSTRAP_TOKEN', 'BOOTSTRAP_SMTP_PASSWORD'],
        ...['WEBHOOK_ALLOW_HTTP', 'WEBHOOK_ALLOWED_CIDRS'],
      ]);
      const config = readConfig({ BIND_HOST: '0.0.0.0', ...env }, 'web');
      expect(config.smtp.authWithoutTls).to.equal(true);
      expect(config.webhooks).to.include({ allowHttp: true });
    });
  }
});

/** An address of this machine in a private network. */
function privateAddress(): string | null {
  const all = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  const found = all.find(
    ({ family, address }) =>
      family === 'IPv4' && /^(?:10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.)/.test(address),
  );
  return found?.address ?? null;
}

/** Ends the group of a step, with what it left in the background. */
function signal(pid: number): void {
  try {
    process.kill(-pid, 'SIGTERM');
  } catch {
    // The group has ended.
  }
}
