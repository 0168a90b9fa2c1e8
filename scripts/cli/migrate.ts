/** Applies the migrations that are missing: the Procfile's `release`. */
import { failStart, loadConfig } from '../../core/process/run-process.js';
import { migrateStore } from '../../db/open.js';

migrateStore(loadConfig('migrate')).catch(failStart);
