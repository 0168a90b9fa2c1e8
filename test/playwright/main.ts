/**
 * `test/long playwright`: the sign-up example at scale, with the packed client and the default
 * rate limit of a workspace. No test fails, no request is rejected by the rate limit, and no
 * mailbox is left after its lifetime.
 */
import { join } from 'node:path';
import { readFile, writeFile } from 'node:fs/promises';
import * as z from 'zod';
import { makeTempDir } from '../support/context/temp-dir.ts';
import { eventually } from '../support/mocha/eventually.ts';
import { type Product, startProduct } from '../support/process/product.ts';
import { startProgram } from '../support/process/programs.ts';
import { freePort } from '../support/servers/free-port.ts';
import { installExample } from '../tarballs/install.ts';
import { type Machine, mustEqual, openMachine } from '../tarballs/machine.ts';

const SAMPLE = /^mayfly_http_requests_total\{([^}]*)\} (\d+)$/gm;

interface Suite {
  title: string;
  tests: number;
  workers: number;
  /** Milliseconds from the sign-up to its mail. */
  mailAfterMs: number;
}

const SUITES: Suite[] = [
  { title: '8 tests with 8 workers, 50 times', tests: 400, workers: 8, mailAfterMs: 0 },
  { title: '60 tests with 10 workers, mail after 5 s', tests: 60, workers: 10, mailAfterMs: 5000 },
];

/** The parts of Playwright's JSON report that are read. */
const report = z.object({
  stats: z.object({
    expected: z.number(),
    unexpected: z.number(),
    flaky: z.number(),
    duration: z.number(),
  }),
});

const OPERATOR_PASSWORD = 'for the metrics';
const mailboxList = z.array(z.object({ name: z.string() }));

const dir = await makeTempDir();
const product = await startProduct({ RATE_LIMIT_PRO: '1200', OPERATOR_PASSWORD });
try {
  const machine = await openMachine(product, dir.path);
  const project = await installExample(machine, 'sign-up');
  await delayMail(project);
  for (const suite of SUITES) await check(machine, project, suite);
  await eventually('all mailboxes of the tests to be deleted', async () =>
    (await mailboxNames()).every((name) => name === 'inbox'),
  );
  process.stdout.write('No mailbox of a test is left\n');
} finally {
  await product.stop();
  await dir.remove();
}

/** `inbox` is that of `up`. */
async function mailboxNames(): Promise<string[]> {
  return mailboxList.parse(await product.rest.json('GET', '/mailboxes')).map(({ name }) => name);
}

async function check(machine: Machine, project: string, suite: Suite): Promise<void> {
  const { title, tests, workers, mailAfterMs } = suite;
  const port = await freePort();
  machine.env['APP_PORT'] = String(port);
  const server = startProgram('node', [join(project, 'server.js')], {
    ...machine.env,
    MAIL_AFTER_MS: String(mailAfterMs),
  });
  try {
    await eventually('the application', () => server.output().includes('http://'));
    const before = await apiRequests(machine.product);
    const printed = await machine.run(
      project,
      'node_modules/.bin/playwright',
      ...['test', 'sign-up', '--grep=signs up', '--reporter=json'],
      ...[`--repeat-each=${tests}`, `--workers=${workers}`],
    );
    const { stats } = report.parse(JSON.parse(printed));
    const after = await apiRequests(machine.product);
    mustEqual(stats.expected, tests, `${title}: passed tests`);
    mustEqual(after.limited, before.limited, `${title}: responses with 429`);
    if (after.all - before.all < tests)
      throw new Error(`${title}: too few requests in the metrics`);
    const each = ((after.all - before.all) / tests).toFixed(1);
    const seconds = (stats.duration / 1000).toFixed(0);
    process.stdout.write(
      `${title}: ${stats.expected} of ${tests} passed, ${seconds} s, ${each} requests each\n`,
    );
  } finally {
    await server.stop();
  }
}

/** Changes the copied application: it sends its mail some time after it has responded. */
async function delayMail(project: string): Promise<void> {
  const file = join(project, 'app.js');
  const text = await readFile(file, 'utf8');
  const sending = 'await transport.sendMail({';
  mustEqual(text.split(sending).length, 2, 'calls of sendMail');
  const later =
    '\nconst sendLater = (transport, mail) =>\n  setTimeout(() => transport.sendMail(mail), Number(process.env.MAIL_AFTER_MS));\n';
  await writeFile(file, text.replace(sending, 'sendLater(transport, {') + later);
}

/**
 * The numbers of requests to the API until now, and of those that exceeded the rate limit, from the
 * metrics.
 */
async function apiRequests({ httpPort }: Product): Promise<{ all: number; limited: number }> {
  const text = await (
    await fetch(`http://127.0.0.1:${httpPort}/metrics`, {
      headers: { Authorization: `Basic ${btoa(`operator:${OPERATOR_PASSWORD}`)}` },
    })
  ).text();
  let [all, limited] = [0, 0];
  for (const [, labels = '', count] of text.matchAll(SAMPLE)) {
    if (!labels.includes('"/api/')) continue;
    all += Number(count);
    if (labels.includes('"429"')) limited += Number(count);
  }
  return { all, limited };
}
