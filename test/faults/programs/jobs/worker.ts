/**
 * The worker process of separate modules: the classes that ../../preload/die-at-points.ts changes
 * are not bundled.
 */
import { runProcess } from '../../../../core/process/run-process.js';
import { work } from '../../../../jobs/work.js';

runProcess('worker', work);
