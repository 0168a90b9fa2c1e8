/** Entry point of the SMTP process. */
import { runProcess } from '../core/process/run-process.js';
import { serve } from './serve.js';

runProcess('smtp', serve);
