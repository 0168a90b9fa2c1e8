/** A context of a test's own: real Redis, real SQLite, real files, a clock that the test can move. */
import { type Config, readConfig } from '../../core/config.js';
import { type Context, openContext } from '../../core/context.js';
import { directorySource } from '../../core/directory-source.js';
import { generateKeyring } from '../../core/keyring.js';
import { openLog } from '../../core/log.js';
import { type CreatedWorkspace, createWorkspace } from '../../core/workspaces.js';
import { migrateStore } from '../../db/open.js';
import { type TestRedis, startRedis } from './redis.js';
import { makeTempDir } from './temp-dir.js';

export interface TestContext {
  readonly context: Context;
  readonly config: Config;
  readonly redis: TestRedis;
  /** A workspace on plan Pro for the domain `one.test`. */
  readonly workspace: CreatedWorkspace;
  /** Moves the context's clock. */
  readonly advance: (ms: number) => void;
  readonly close: () => Promise<void>;
}

export async function openTestContext(env: Record<string, string> = {}): Promise<TestContext> {
  const dir = await makeTempDir();
  const redis = await startRedis(dir.path);
  const config = readConfig(
    {
      DATA_DIR: dir.path,
      ENCRYPTION_KEYS: generateKeyring(),
      VALIDATE_RESPONSES: 'true',
      LOG_LEVEL: 'error',
      ...env,
    },
    'web',
  );
  await migrateStore(config);
  let offset = 0;
  const context = await openContext(config, openLog(config), { now: () => Date.now() + offset });
  const workspace = await createWorkspace(context, {
    name: 'one',
    domain: 'one.test',
    plan: 'pro',
  });
  await context.directory.rebuild(directorySource(context.store));
  return {
    context,
    config,
    redis,
    workspace,
    advance: (ms) => (offset += ms),
    close: async () => {
      await context.close();
      await redis.stop();
      await dir.remove();
    },
  };
}
