/** Applies pending migrations: the `release` command of the Procfile. */
import { resolveDirectly } from '../../core/process/direct-resolution.js';
import { failStart, loadConfig } from '../../core/process/run-process.js';

async function main(): Promise<void> {
  resolveDirectly();
  const { migrateStore } = await import('../../db/open.js');
  await migrateStore(loadConfig('migrate'));
}

main().catch(failStart);
