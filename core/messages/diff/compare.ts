/** The difference of two messages. */
import { loadOnce } from '../../share-runs.ts';
import { type Task, lengthOf } from '../../mime/task.ts';
import { type Compared, comparedLines } from './compared-lines.ts';

/** Lines that are removed or added, above which everything counts as changed. */
const MAX_EDITS = 1000;
const CONTEXT_LINES = 3;
/** Characters. */
const MAX_DIFF = 256 * 1024;
/** Characters of the line of an attachment, roughly. */
const FILE_SIZE = 200;
const CUT = '\\ The diff is longer and ends here.\n';

/** Loaded on demand: few processes ever compare messages. */
const library = loadOnce(() => import('diff'));

interface MessageDiff {
  /** Whether nothing differs but what is masked. */
  identical: boolean;
  /** A unified diff; empty if the messages are identical. */
  diff: string;
}

interface DiffInput {
  names: { before: string; after: string };
  before: Compared;
  after: Compared;
}

/** As JSON. */
export const diffJson: Task<DiffInput, Buffer> = {
  name: 'diffJson',
  sizeOf: ({ before, after }) => sizeOf(before) + sizeOf(after),
  /** A few KB of short lines that all differ take 80 ms. */
  inlineSize: 0,
  run: async (input) => Buffer.from(JSON.stringify(await compare(input))),
};

function sizeOf({ attachments, text, html, head }: Compared): number {
  return lengthOf(text) + lengthOf(html) + head.length + attachments.length * FILE_SIZE;
}

async function compare({ names, ...messages }: DiffInput): Promise<MessageDiff> {
  const before = await comparedLines(messages.before);
  const after = await comparedLines(messages.after);
  const texts = [before, after].map((lines) => lines.map((line) => `${line}\n`).join(''));
  const [one = '', other = ''] = texts;
  if (one === other) return { identical: true, diff: '' };
  const { createTwoFilesPatch } = await library.get();
  const options = { context: CONTEXT_LINES, maxEditLength: MAX_EDITS };
  const patch =
    createTwoFilesPatch(names.before, names.after, one, other, '', '', options) ??
    replacement(names, before, after);
  // The first line of the library is a rule.
  const diff = patch.replace(/^=+\n/, '');
  return { identical: false, diff: diff.length > MAX_DIFF ? cut(diff) : diff };
}

/** All lines as changed. */
function replacement(
  names: { before: string; after: string },
  before: string[],
  after: string[],
): string {
  const lines = [
    ...[`--- ${names.before}`, `+++ ${names.after}`],
    `@@ -1,${before.length} +1,${after.length} @@`,
    ...before.map((line) => `-${line}`),
    ...after.map((line) => `+${line}`),
  ];
  return `${lines.join('\n')}\n`;
}

function cut(diff: string): string {
  return diff.slice(0, diff.lastIndexOf('\n', MAX_DIFF) + 1) + CUT;
}
