/**
 * The child process of the parser pool. It runs one call at a time and exits with its parent. Tasks
 * are loaded with the first one, so that a child that only parses takes less memory.
 */
import type { CallMessage, ChildMessage } from './mime/child-processes.ts';
import { errorText } from './errors.ts';
import { headersOnly, parseMail } from './mime/parse-mail.ts';
import { parseFile } from './mime/parse-file.ts';
import type { ParseCall } from './mime/parser-pool.ts';
import { partContent } from './mime/part-tree.ts';
import { Assembly, sendPieces } from './mime/pieces.ts';

let assembly = new Assembly();

process.on('disconnect', () => process.exit(0));
process.on('message', (message) => {
  if (!isCallMessage(message)) return;
  if ('pieces' in message) {
    assembly.add(message);
    return;
  }
  const call = assembly.finish(message.call);
  assembly = new Assembly();
  if (isParseCall(call)) void answer(call);
});
void send({ ready: true });

async function answer(call: ParseCall): Promise<void> {
  void send({ begun: true });
  try {
    await send({ result: await sendPieces(await parse(call), send) });
  } catch (error) {
    void send({ error: errorText(error) });
  }
}

async function parse(call: ParseCall): Promise<unknown> {
  if ('task' in call) {
    const { TASKS } = await import('./reading-tasks.ts');
    const task = TASKS.find(({ name }) => name === call.task);
    if (!task) throw new Error(`no task ${call.task}`);
    return task.run(call.input as never);
  }
  if ('file' in call) {
    return parseFile(call.file, call.drafts, (phase) => {
      void send({ phase });
    });
  }
  if ('partOf' in call) return partContent(call.partOf, call.section);
  return 'head' in call ? headersOnly(call.head, call.reason) : parseMail(call.raw);
}

function send(message: ChildMessage): Promise<void> {
  return new Promise((resolve) => {
    process.send?.(message, () => {
      resolve();
    });
  });
}

function isCallMessage(message: unknown): message is CallMessage {
  return typeof message === 'object' && message !== null;
}

function isParseCall(call: unknown): call is ParseCall {
  return typeof call === 'object' && call !== null;
}
