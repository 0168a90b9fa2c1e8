/** The child's side of the parse pool: a process of its own, started by workerpool. */
import workerpool from 'workerpool';
import { headersOnly, parseMail } from './mail.js';
import { parseFile } from './parse-file.js';

workerpool.worker({
  headersOnly,
  parseMail,
  parseFile: (path: string, drafts: string) =>
    parseFile(path, drafts, (phase) => {
      workerpool.workerEmit(phase);
    }),
});
