/** Applies pending migrations: the `release` command of the Procfile. */
import { failStart, loadConfig } from '../../core/process/run-process.js';
import { migrateStore } from '../../db/open.js';

migrateStore(loadConfig('migrate')).catch(failStart);
