/**
 * A context for one test: real Redis, real SQLite, real files, and a clock that the test can move.
 */
import { type Config, readConfig } from '../../../core/config/config.js';
import type { Context, Overrides } from '../../../core/context.js';
import { openContext } from '../../../core/open-context.js';
import { directorySource } from '../../../core/mailboxes/directory-source.js';
import { generateKeyring } from '../../../core/secrets/keyring.js';
import { openLog } from '../../../core/log.js';
import { type CreatedWorkspace, createWorkspace } from '../../../core/workspaces/workspaces.js';
import type { Caller } from '../../../core/auth/caller.js';
import { verifyToken } from '../../../core/auth/tokens.js';
import { type TestRedis, startRedis } from '../servers/redis.js';
import { PATIENT } from '../process/patient.js';
import { makeSqliteDatabase } from './sqlite-template.js';
import { openTestDatabase } from './test-database.js';
import { makeTempDir } from './temp-dir.js';

export interface TestContext {
  readonly context: Context;
  readonly config: Config;
  /** Variables for a process that works on the same data. */
  readonly env: Record<string, string>;
  readonly redis: TestRedis;
  /** A workspace on plan Pro for the domain `one.test`. */
  readonly workspace: CreatedWorkspace;
  /** The caller with the first token of that workspace. */
  readonly caller: Caller;
  /**
   * Another context on the same Redis and database, like that of another process. It is closed with
   * this one.
   */
  readonly another: () => Promise<Context>;
  /** Moves the clock of these contexts. */
  readonly advance: (ms: number) => void;
  readonly close: () => Promise<void>;
}

export async function openTestContext(
  env: Record<string, string> = {},
  overrides: Overrides = {},
): Promise<TestContext> {
  const dir = await makeTempDir();
  const redis = await startRedis(dir.path);
  const database = await openTestDatabase();
  const wholeEnv = {
    DATA_DIR: dir.path,
    ENCRYPTION_KEYS: generateKeyring(),
    VALIDATE_RESPONSES: 'true',
    LOG_LEVEL: 'error',
    ...PATIENT,
    ...database?.env,
    ...env,
  };
  const config = readConfig(wholeEnv, 'web');
  if (config.database.kind === 'sqlite') await makeSqliteDatabase(config.database.path);
  let offset = 0;
  const contexts: Context[] = [];
  const open = async () => {
    const now = () => Date.now() + offset;
    const opened = await openContext(config, openLog(config), { now, ...overrides });
    contexts.push(opened);
    return opened;
  };
  const context = await open();
  const workspace = await createWorkspace(context, {
    name: 'one',
    domain: 'one.test',
    plan: 'pro',
  });
  const caller = await verifyToken(context, workspace.token);
  if (!caller) throw new Error('the first token of the test workspace is not valid');
  await context.directory.rebuild(directorySource(context.store));
  return {
    context,
    config,
    env: wholeEnv,
    redis,
    workspace,
    caller,
    another: open,
    advance: (ms) => (offset += ms),
    close: async () => {
      for (const opened of contexts) await opened.close();
      await redis.stop();
      await database?.release();
      await dir.remove();
    },
  };
}
