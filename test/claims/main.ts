/**
 * `test/long claims`: 64 processes claim all messages of a mailbox, then again while the web
 * process is killed. Each message is claimed once. An argument sets the number of messages.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { fillToClaim } from '../load/mailboxes.ts';
import { inherited } from '../support/process/inherited.ts';
import { startProduct } from '../support/process/product.ts';

const PROCESSES = 64;
const CLAIMER = fileURLToPath(new URL('./claimer.ts', import.meta.url));
/** The number of messages is divided by this for the run with kills. */
const SMALLER = 5;

interface Claimed {
  ids: string[];
  /** Between the first and the last claim. */
  seconds: number;
  /** Exit codes other than 0, with what the processes printed. */
  failures: string[];
}

const messages = Number(process.argv[2] ?? 100_000);
const product = await startProduct({ WAITS_PER_WORKSPACE: '0' });
try {
  await check('quiet', messages, 0);
  await check('killed', Math.ceil(messages / SMALLER), 3);
} finally {
  await product.stop();
}

/** @param kills of the web process, spread over the run */
async function check(name: string, count: number, kills: number): Promise<void> {
  await fillToClaim(product, name, count);
  let killed = 0;
  let last: number | undefined;
  const { ids, seconds, failures } = await claimAll(name, (claimed) => {
    const web = product.processes().get('web');
    const isDue = killed < kills && claimed >= ((killed + 1) * count) / (kills + 1);
    // The process that was killed last may not have been replaced yet.
    if (!isDue || web === last) return;
    last = web;
    killed += 1;
    product.kill('web', 'SIGKILL');
  });
  const twice = ids.length - new Set(ids).size;
  process.stdout.write(
    `${PROCESSES} processes, ${count} messages, ${killed} kills of the web process: ` +
      `claimed ${new Set(ids).size}, twice ${twice}, failed processes ${failures.length}, ` +
      `${(ids.length / seconds).toFixed(0)} claims/s\n`,
  );
  for (const failure of failures.slice(0, 3)) process.stdout.write(`${failure}\n`);
  if (twice > 0 || ids.length !== count || failures.length > 0 || killed !== kills)
    process.exitCode = 1;
}

/** @param onClaim called with the number of claims so far */
async function claimAll(name: string, onClaim: (claimed: number) => void): Promise<Claimed> {
  const ids: string[] = [];
  const times: number[] = [];
  const failures: string[] = [];
  const MAYFLY_URL = new URL(product.apiUrl).origin;
  const env = { ...inherited, MAYFLY_URL, MAYFLY_TOKEN: product.token ?? '' };
  await Promise.all(
    Array.from({ length: PROCESSES }, async () => {
      const child = spawn(process.execPath, [CLAIMER, name], { env });
      let errors = '';
      child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
      createInterface({ input: child.stdout }).on('line', (id) => {
        ids.push(id);
        times.push(performance.now());
        onClaim(ids.length);
      });
      const [code] = (await once(child, 'close')) as [number | null];
      if (code !== 0) failures.push(`exit code ${String(code)}: ${errors}`);
    }),
  );
  const seconds = ((times.at(-1) ?? 0) - (times[0] ?? 0)) / 1000;
  return { ids, seconds, failures };
}
