/** Entry point of the SMTP process. */
import { runProcess } from '../core/process/run-process.ts';
import { serve } from './serve.ts';

runProcess('smtp', serve);
