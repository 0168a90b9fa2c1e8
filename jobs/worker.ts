/** Entry point of the worker process. */
import { runProcess } from '../core/process/run-process.js';
import { work } from './work.js';

runProcess('worker', work);
