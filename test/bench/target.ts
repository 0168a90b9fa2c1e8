import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { databaseConfig, databaseVariables } from '../../core/config/database.ts';
import type { DatabaseConfig } from '../../db/config.ts';
import * as z from 'zod';
import { type Product, startProduct } from '../support/process/product.ts';
import { type RestClient, restClient } from '../support/clients/rest-client.ts';
import { run } from '../support/process/programs.ts';
import { openTestDatabase } from '../support/context/test-database.ts';
import { settings } from './settings.ts';

/** Node does not accept `--cpu-prof` in NODE_OPTIONS. */
const PRELOAD = new URL('./profile-preload.ts', import.meta.url).href;

/** The measured product, with its public addresses. */
export interface Target {
  smtpPort: number;
  domain: string;
  rest: RestClient;
  /** `http://HOST:PORT` */
  origin: string;
  token: string;
  /** Its database, so that it can be filled directly. */
  database: DatabaseConfig;
  /** Variables with which scripts reach it. */
  env: Record<string, string>;
  product: Product;
}

/**
 * Starts the product like `up`, in a temporary folder, for the duration of the work: on SQLite, or
 * on a new database of the PostgreSQL in TEST_POSTGRES_URL.
 */
export async function onProduct<Result>(
  work: (target: Target) => Promise<Result>,
  settingsOfPart: Record<string, string> = {},
): Promise<Result> {
  const database = await openTestDatabase();
  const env: Record<string, string> = {};
  if (database?.env.DATABASE_URL !== undefined) env.DATABASE_URL = database.env.DATABASE_URL;
  const product = await startProduct({
    PLAN_PRO_MAILBOXES: '0',
    WORKER_PROCESSES: `${settings.workers}`,
    WEB_PROCESSES: `${settings.webs}`,
    ...settingsOfPart,
    ...env,
    ...profiled(),
  });
  try {
    const { smtpPort, domain, apiUrl, token, rest } = product;
    return await work({
      smtpPort,
      domain,
      rest,
      origin: new URL(apiUrl).origin,
      token: token ?? '',
      env: { ...env, DATA_DIR: product.dataDir },
      database: databaseConfig(z.object(databaseVariables).parse(env), product.dataDir),
      product,
    });
  } finally {
    await product.stop();
    await database?.release();
  }
}

/** Creates a workspace beside that of the target. */
export function createOtherWorkspace(
  { product, env }: Target,
  domain: string,
): Pick<Target, 'rest' | 'domain'> {
  const args = ['--name', domain, '--domain', domain, '--plan', 'pro', '--json'];
  const output = run(process.execPath, ['dist/scripts/cli/create-workspace.js', ...args], {
    env: { ...process.env, ...env },
  });
  const { token } = JSON.parse(output) as { token: string };
  return { rest: restClient(product.apiUrl, token), domain };
}

/** Each process writes its profile at exit. */
function profiled(): Record<string, string> {
  if (settings.profile === null) return {};
  const folder = join(resolve(settings.profile), `${Date.now()}`);
  mkdirSync(folder, { recursive: true });
  return { NODE_OPTIONS: `--import=${PRELOAD}`, BENCH_PROFILES: folder };
}
