/**
 * The messages that a wait passed over. An answer names them, and its mark ends before the first
 * one that it does not name, so that no message is lost to a model that goes on by the mark.
 */
import type { MailboxRow } from '../../../core/mailboxes/mailboxes.ts';
import { markOf } from '../../../core/messages/mark.ts';
import type { Fence } from '../fence.ts';

const MOST_NAMED = 20;
/** Messages that a wait lists: those named, the returned one, and one more if there is one. */
export const LISTED = MOST_NAMED + 2;
/** Characters of a subject, as they are shown. */
const MOST_SUBJECT = 120;

/** What a wait has considered. */
interface Looked {
  mailbox: Pick<MailboxRow, 'id' | 'workspaceId'>;
  /** The first messages, in the order of their numbers, each with what it does not match. */
  considered: { messageId: string; number: number; subject: string; failed: string[] }[];
  /** The number up to which a mark may cover messages. */
  next: number;
  /** The message that the wait returns, or null. */
  returned: string | null;
}

interface Asked {
  tool: string;
  /** What a message must have besides the arguments, such as "code". */
  what?: string;
}

/** Names the other messages: ids in the data and the note, subjects in the fence. */
export function nameOthers(fence: Fence, looked: Looked, asked: Asked) {
  const { mailbox, considered, next, returned } = looked;
  const passed = considered.filter(
    ({ messageId, number }) => messageId !== returned && number <= next,
  );
  const others = passed.slice(0, MOST_NAMED);
  const unnamed = passed[MOST_NAMED];
  for (const { messageId, subject } of others) {
    fence.add(`subject of ${messageId}`, subject, MOST_SUBJECT);
  }
  const sentences = describe(others, asked);
  if (unnamed) sentences.push('More messages follow, which the mark does not cover.');
  if (returned === null) sentences.push(callAgain(asked, others.length > 0));
  return {
    others: others.map(({ messageId, failed }) => ({ id: messageId, failed })),
    mark: markOf(mailbox, unnamed ? Math.max(unnamed.number - 1, 0) : next),
    note: sentences.join(' '),
  };
}

function describe(others: Looked['considered'], { what }: Asked): string[] {
  const isWithout = ({ failed }: { failed: string[] }) => failed.join() === what;
  const without = others.filter(isWithout);
  const unfit = others.filter((one) => one.failed.length > 0 && !isWithout(one));
  const earlier = others.filter(({ failed }) => failed.length === 0);
  return [
    sentence(without, `arrived without a ${what}`),
    sentence(unfit, 'arrived that not all arguments match'),
    sentence(earlier, `with a ${what} arrived earlier`),
  ].filter((text) => text !== '');
}

function sentence(messages: Looked['considered'], rest: string): string {
  const count = messages.length;
  if (count === 0) return '';
  const ids = messages.map(({ messageId }) => messageId).join(', ');
  return `${count} message${count === 1 ? '' : 's'} ${rest}: read ${ids} with get_message.`;
}

function callAgain({ tool }: Asked, hasOthers: boolean): string {
  const again = `all ${tool} again with the "mark" of this answer`;
  if (hasOthers) return `C${again} to wait for later messages.`;
  return `Nothing yet. search_messages without q lists what arrived in all mailboxes. C${again}.`;
}
