import type { Config } from '../../core/config/config.ts';
import type { Context } from '../../core/context.ts';
import { loadConfig } from '../../core/process/run-process.ts';
import { openScriptLog } from './script-log.ts';

/** Runs a command with the database, Redis and blobs of the service. The service can be running. */
export async function withContext(
  run: (context: Context, config: Config) => Promise<void>,
): Promise<void> {
  const config = loadConfig('script');
  // Loaded on demand: an error in the command line is reported without loading the service.
  const { openContext } = await import('../../core/open-context.ts');
  const context = await openContext(config, openScriptLog());
  try {
    await run(context, config);
  } finally {
    await context.close();
  }
}
