/** The child process of the parser pool. It runs one call at a time and exits with its parent. */
import type { ChildMessage } from './child-processes.ts';
import { errorText } from '../errors.ts';
import { headersOnly, parseMail } from './parse-mail.ts';
import { parseFile } from './parse-file.ts';
import type { ParseCall } from './parser-pool.ts';
import { partContent, partTree } from './part-tree.ts';

process.on('disconnect', () => process.exit(0));
process.on('message', (call) => {
  if (isParseCall(call)) void answer(call);
});
send({ ready: true });

async function answer(call: ParseCall): Promise<void> {
  send({ begun: true });
  try {
    send({ result: await parse(call) });
  } catch (error) {
    send({ error: errorText(error) });
  }
}

function parse(call: ParseCall): Promise<unknown> {
  if ('file' in call) {
    return parseFile(call.file, call.drafts, (phase) => {
      send({ phase });
    });
  }
  if ('partsOf' in call) {
    const { partsOf, section } = call;
    return Promise.resolve(section === null ? partTree(partsOf) : partContent(partsOf, section));
  }
  return 'head' in call ? headersOnly(call.head, call.reason) : parseMail(call.raw);
}

function send(message: ChildMessage): void {
  process.send?.(message);
}

function isParseCall(message: unknown): message is ParseCall {
  return typeof message === 'object' && message !== null;
}
