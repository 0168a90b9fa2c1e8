/**
 * The workflow of 'examples/README.md' for the project `sign-up`: its commands, run in order as a
 * runner of GitHub Actions does.
 */
import { spawn } from 'node:child_process';
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import * as z from 'zod';
import { codeOf } from '../support/docs/pages.ts';
import { eventually } from '../support/mocha/eventually.ts';
import { isAlive } from '../support/process/product.ts';
import { freePort } from '../support/servers/free-port.ts';
import type { Machine } from './machine.ts';
import { follow } from '../support/process/programs.ts';

const workflow = z.object({
  jobs: z.object({
    test: z.object({
      env: z.record(z.string(), z.string()),
      steps: z.array(
        z.object({
          run: z.string().optional(),
          if: z.string().optional(),
          env: z.record(z.string(), z.string()).optional(),
        }),
      ),
    }),
  }),
});

/** @throws unless the tests of the project pass, and the last step shows the log. */
export async function checkCi(machine: Machine): Promise<void> {
  const { folder, checkout, run } = machine;
  await run(checkout, 'sh', '-euxc', codeOf('examples/README.md', 'sh', 'github-actions.yml'));
  // What a runner checks out: no installed packages.
  const [project, temp] = [join(folder, 'checked-out'), join(folder, 'runner')];
  await mkdir(temp);
  await cp(join(folder, 'sign-up'), project, {
    recursive: true,
    filter: (source) => !/\/(?:node_modules|\.venv)$/.test(source),
  });

  const [port, smtpPort] = await Promise.all([freePort(), freePort()]);
  const text = await readFile(join(project, '.github/workflows/tests.yml'), 'utf8');
  const { env, steps } = workflow.parse(
    parse(
      text
        .replaceAll(':3000', `:${port}`)
        .replaceAll(':2525', `:${smtpPort}`)
        .replaceAll('${{ runner.temp }}', temp)
        .replaceAll(
          /\$\{\{ env\.(\w+) \}\}/g,
          (_, name: string) => new RegExp(`${name}: (\\S+)`).exec(text)?.[1] ?? '',
        ),
    ),
  ).jobs.test;
  const variables = join(temp, 'variables');
  await writeFile(variables, '');
  const job: NodeJS.ProcessEnv = {
    ...machine.env,
    ...env,
    PORT: `${port}`,
    SMTP_PORT: `${smtpPort}`,
    RUNNER_TEMP: temp,
    GITHUB_ENV: variables,
  };
  const groups: number[] = [];
  let output = '';
  try {
    for (const step of steps) {
      if (step.run === undefined) continue;
      for (const [, name = '', value] of (await readFile(variables, 'utf8')).matchAll(
        /^(\w+)=(.*)$/gm,
      )) {
        job[name] = value;
      }
      // As a runner: https://docs.github.com/actions/reference/workflow-syntax-for-github-actions
      const child = spawn('bash', ['-e', '-c', step.run], {
        ...{ cwd: project, env: { ...job, ...step.env }, detached: true },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      groups.push(child.pid ?? 0);
      const { output: printed, exited } = follow(child);
      const code = await exited;
      output = printed();
      if (code !== 0) throw new Error(`${step.run} ended with ${code}:\n${output}`);
    }
  } finally {
    for (const group of groups) await endGroup(group);
  }
  if (!output.includes('Mayfly is ready.')) throw new Error(`the log of Mayfly has ${output}`);
  process.stdout.write('The steps of the workflow for GitHub Actions work\n');
}

/** Ends what a step left in the background. */
async function endGroup(pid: number): Promise<void> {
  if (!isAlive(-pid)) return;
  process.kill(-pid, 'SIGTERM');
  await eventually('the end of a step', () => !isAlive(-pid));
}
