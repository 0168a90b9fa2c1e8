/**
 * The whole product in a temporary folder, with tools for faults: its processes, its Redis, a
 * webhook receiver, an API client, and commands to crash at a named point.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { existsSync } from 'node:fs';
import { readConfig } from '../../../core/config/config.ts';
import { openLog } from '../../../core/log.ts';
import { type RedisClient, openBlockingRedis } from '../../../core/redis/client.ts';
import { eventually } from '../../support/mocha/eventually.ts';
import { freePort } from '../../support/servers/free-port.ts';
import { type Product, startProduct } from '../../support/process/product.ts';
import { openTestDatabase } from '../../support/context/test-database.ts';
import { makeTempDir } from '../../support/context/temp-dir.ts';
import { ORDERS_VARIABLE, type Point, type Role, orderFile } from '../preload/points.ts';
import { type Api, openApi } from '../../support/clients/rest-client.ts';
import { type OwedReceiver, openOwedReceiver } from './owed.ts';

const PRELOADS = ['die-at-points', 'clock']
  .map((name) => `--import=${new URL(`../preload/${name}.ts`, import.meta.url).href}`)
  .join(' ');
const RECOVERY_MS = 60_000;
const POLL_MS = 50;

/** Retries are short to save time, and numerous so that no injected fault abandons a delivery. */
const QUICK = {
  WEBHOOK_TIMEOUT_MS: '3000',
  WEBHOOK_RETRY_SCHEDULE_MS: ['500', ...Array<string>(19).fill('2000')].join(','),
  PLAN_PRO_MAILBOXES: '0',
};

export type ProcessName = 'redis' | 'web' | 'worker' | 'smtp' | SecondName;
/** The processes of a double bench. */
type SecondName = 'web2' | 'worker.1' | 'worker.2' | 'smtp2';

export interface Bench {
  /** The current product: faults can restart it. */
  readonly product: () => Product;
  readonly dataDir: string;
  /** The variables with which a command reaches the database. */
  readonly database: Record<string, string>;
  /** Of each web process, such as `http://127.0.0.1:3000`. */
  readonly webUrls: () => string[];
  /** Port of the next SMTP process, in rotation. */
  readonly smtpPort: () => number;
  /** Client of the next web process, in rotation. */
  readonly api: Api;
  readonly token: string;
  readonly owed: OwedReceiver;
  readonly redis: RedisClient;
  /** Makes a process crash at a point; resolves when it has crashed and restarted. */
  readonly die: (role: Role, point: Point) => Promise<void>;
  /** Kills a process and resolves when it has restarted. */
  readonly kill: (name: ProcessName, signal?: NodeJS.Signals) => Promise<void>;
  /** Resolves when the process has restarted, with another pid than this one. */
  readonly isBack: (name: ProcessName, formerPid: number | undefined) => Promise<void>;
  /** Waits until the product has exited, and starts it again on the same data directory. */
  readonly startAgain: () => Promise<void>;
  /** Resolves when `/readyz` returns 200. */
  readonly isReady: () => Promise<void>;
  readonly close: () => Promise<void>;
}

export interface BenchOptions {
  /** Settings in addition to the shortened timeouts of tests. */
  env?: Record<string, string>;
  /** Two of each process over the same Redis, database and blobs. */
  isDouble?: boolean;
  /** Settings of the second SMTP process alone; the folder is removed with the bench. */
  prepareSecondSmtp?: (folder: string) => Promise<Record<string, string>>;
  /** Runs on the empty data directory. */
  prepare?: (dataDir: string) => Promise<{
    env: Record<string, string>;
    undo: () => Promise<void>;
  }>;
}

export async function openBench(options: BenchOptions = {}): Promise<Bench> {
  const { env = {}, isDouble = false, prepare, prepareSecondSmtp } = options;
  const folder = await makeTempDir();
  const orders = join(folder.path, 'orders');
  const dataDir = join(folder.path, 'data');
  await mkdir(orders);
  await mkdir(dataDir);
  const prepared = await prepare?.(dataDir);
  const database = prepared?.env.DATABASE_URL === undefined ? await openTestDatabase() : null;
  const owed = await openOwedReceiver();
  const ofSecondSmtp = (await prepareSecondSmtp?.(folder.path)) ?? {};
  const commands = await separateModules();
  const seconds = isDouble ? await secondProcesses(commands, ofSecondSmtp) : null;
  const procfile = join(folder.path, 'Procfile');
  await writeFile(procfile, `${commands.trimEnd()}\n${seconds?.commands ?? ''}`);
  const settings = {
    ...QUICK,
    DATA_DIR: dataDir,
    NODE_OPTIONS: PRELOADS,
    [ORDERS_VARIABLE]: orders,
    ...env,
    ...database?.env,
    ...prepared?.env,
    ...(seconds ? { WORKER_PROCESSES: '2' } : {}),
  };
  const start = () => startProduct(settings, procfile);
  let product = await start();
  const token = product.token ?? '';
  const config = readConfig({ ...settings, LOG_LEVEL: 'error' }, 'smtp');
  const redis = openBlockingRedis(config, openLog(config)); // faults make Redis unavailable

  const isBack = async (name: ProcessName, formerPid: number | undefined) => {
    await eventually(
      `${name} to be back`,
      () => product.processes().get(name) !== formerPid && saysItIsBack(product.output(), name),
      RECOVERY_MS,
      POLL_MS,
    );
  };
  const webUrls = () => [
    product.apiUrl.replace(/\/api$/, ''),
    ...(seconds ? [`http://127.0.0.1:${seconds.httpPort}`] : []),
  ];
  const smtpPorts = () => [product.smtpPort, ...(seconds ? [seconds.smtpPort] : [])];
  const isReady = async () => {
    for (const url of webUrls()) {
      await eventually(
        `${url} to be ready`,
        async () => (await fetch(`${url}/readyz`).catch(() => null))?.status === 200,
        RECOVERY_MS,
        POLL_MS,
      );
    }
  };
  const nextUrl = inTurn(webUrls);

  return {
    product: () => product,
    dataDir,
    database: { DATA_DIR: dataDir, ...database?.env, ...prepared?.env },
    webUrls,
    smtpPort: inTurn(smtpPorts),
    api: openApi(() => ({ apiUrl: `${nextUrl()}/api`, token })),
    token,
    owed,
    redis,
    async die(role, point) {
      const pid = product.processes().get(role);
      const order = orderFile(orders, role, point);
      await writeFile(order, '');
      await eventually(`the ${role} to get to "${point}"`, () => !existsSync(order), RECOVERY_MS);
      await isBack(role, pid);
    },
    async kill(name, signal = 'SIGKILL') {
      const pid = product.processes().get(name);
      product.kill(name, signal);
      await isBack(name, pid);
    },
    isBack,
    async startAgain() {
      await product.exited;
      product = await start();
    },
    isReady,
    close: async () => {
      await product.stop();
      redis.disconnect();
      await owed.close();
      await prepared?.undo();
      await folder.remove();
    },
  };
}

function inTurn<Item>(items: () => Item[]): () => Item {
  let asked = 0;
  return () => items()[asked++ % items().length]!;
}

/** The Procfile of the product, with the processes run from source, as separate modules. */
async function separateModules(): Promise<string> {
  const procfile = await readFile('Procfile', 'utf8');
  return procfile.replace(/ dist\/((?:api|jobs|haraka-plugin)\/\w+)\.js/g, ' $1.ts');
}

/** A Procfile with a second web process and a second SMTP process on separate ports. */
async function secondProcesses(first: string, ofSmtp: Record<string, string>) {
  const [httpPort, smtpPort] = await Promise.all([freePort(), freePort()]);
  const settings = Object.entries(ofSmtp).map(([name, value]) => `${name}=${value} `);
  const second = first
    .replace(/^web: exec /m, `web2: exec env PORT=${httpPort} `)
    .replace(/^smtp: exec /m, `smtp2: exec env SMTP_PORT=${smtpPort} ${settings.join('')}`)
    .replace(/^(?:release|worker): .*\n/gm, '');
  return { commands: second, httpPort, smtpPort };
}

/** Whether the supervisor has reported that a process is back since it last started it. */
function saysItIsBack(output: string, name: string): boolean {
  const started = new RegExp(`^${name} +\\| started `, 'gm');
  const last = [...output.matchAll(started)].at(-1)?.index ?? 0;
  return new RegExp(`^${name} +\\| is back$`, 'm').test(output.slice(last));
}
