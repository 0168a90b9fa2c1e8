/** Applies pending migrations: the `release` command of the Procfile. */
import { failStart, loadConfig } from '../../core/process/run-process.ts';
import { ROOT } from '../../core/root.ts';
import { migrateStore } from '../../db/open.ts';

async function main(): Promise<void> {
  await migrateStore(loadConfig('migrate'), ROOT);
}

main().catch(failStart);
