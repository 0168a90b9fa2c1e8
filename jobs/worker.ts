/** Entry point of the worker process. */
import { runProcess } from '../core/process/run-process.ts';
import { work } from './work.ts';

runProcess('worker', work);
