/** The child's side of the parse pool: a process of its own, started by workerpool. */
import workerpool from 'workerpool';
import { headersOnly, parseMail } from './mail.js';

workerpool.worker({ headersOnly, parseMail });
