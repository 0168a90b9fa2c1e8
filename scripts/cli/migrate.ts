/** Applies pending migrations: the `release` command of the Procfile. */
import { failStart, loadConfig } from '../../core/process/run-process.js';
import { migrateStore } from '../../db/open.js';

async function main(): Promise<void> {
  await migrateStore(loadConfig('migrate'));
}

main().catch(failStart);
