/**
 * A context for one test: real Redis, real SQLite, real files, and a clock that the test can move.
 */
import winston from 'winston';
import { type Config, readConfig } from '../../../core/config/config.ts';
import type { Context, Overrides } from '../../../core/context.ts';
import { openContext } from '../../../core/open-context.ts';
import { recipientSource } from '../../../core/directory/sources.ts';
import { generateKeyring } from '../../../core/secrets/keyring.ts';
import { type Logger, openLog } from '../../../core/log.ts';
import { type CreatedWorkspace, createWorkspace } from '../../../core/workspaces/workspaces.ts';
import type { Caller } from '../../../core/auth/caller.ts';
import { verifyToken } from '../../../core/auth/tokens.ts';
import { type TestRedis, startRedis } from '../servers/redis.ts';
import { logOfTest } from '../mocha/failure-details.ts';
import { programPath } from '../process/process.ts';
import { PATIENT } from '../process/inherited.ts';
import { makeSqliteDatabase, openTestDatabase } from './test-database.ts';
import { makeTempDir } from './temp-dir.ts';

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
    const opened = await openContext(config, openTestLog(config), {
      ...{ now, parserChild: programPath('core/parser-child') },
      ...overrides,
    });
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
  await context.directory.rebuild(recipientSource(context.store));
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

function openTestLog(config: Config): Logger {
  return openLog(config)
    .clear()
    .add(new winston.transports.Stream({ stream: logOfTest }));
}
