/**
 * Writes the replies to pipelined commands together (RFC 2920 section 3.2). Haraka writes each
 * reply alone, although a write to a socket takes more CPU time than the command. A reply is held
 * while another complete command waits, for 10 ms at most: the reply to that command can be
 * delayed, or be written by other code. A reply after which the client must act, or the connection
 * ends, is written at once.
 */
import { replaceMethod } from './replace-method.ts';

const LF = 0x0a;
/** The replies that are held: 250 and refusals, but not 354 (send the mail) and 421 (the end). */
const OK = 250;
const FIRST_REFUSAL = 450;
/** Far below the limit of unread replies (input.ts). */
const MAX_HELD_BYTES = 4096;
const MAX_HELD_MS = 10;

export function groupReplies(haraka: Haraka.Patchable<'connection'>): void {
  replaceMethod(haraka, 'connection', 'respond', 3, (respond) => {
    return function (code, text, then) {
      const { targetsocket: socket } = this.client;
      const release = () => {
        clearTimeout(this.notes.heldReplies);
        delete this.notes.heldReplies;
        socket?.uncork();
      };
      if (socket && !this.notes.heldReplies && hasCommand(this)) {
        socket.cork();
        this.notes.heldReplies = setTimeout(release, MAX_HELD_MS);
      }
      respond.call(this, code, text, then);
      if (!socket || !this.notes.heldReplies) return;
      const given = typeof text === 'object' && 'code' in text ? text.code : code;
      const isLast = !hasCommand(this) || (given !== OK && given < FIRST_REFUSAL);
      if (isLast || socket.writableLength > MAX_HELD_BYTES) release();
    };
  });
}

function hasCommand({ current_data }: Haraka.Connection): boolean {
  return current_data?.includes(LF) ?? false;
}
