/**
 * Writes the replies to pipelined commands together (RFC 2920 section 3.2). Haraka writes each
 * reply alone, and writes to sockets took a third of the CPU time of the SMTP process. Replies are
 * held while another complete command waits, because its reply follows without further input. A
 * reply after which the client must act, or the connection ends, is written at once.
 */
import { replaceMethod } from './replace-method.js';

const LF = 0x0a;
const OK = 250;
/** Above 354 (send the mail) and 421 (the connection ends). */
const FIRST_REFUSAL = 450;
/** Far below the limit of unread replies (input.ts). */
const MAX_HELD_BYTES = 4096;

export function groupReplies(haraka: Haraka.Patchable<'connection'>): void {
  replaceMethod(haraka, 'connection', 'respond', 3, (respond) => {
    return function (code, text, then) {
      const { notes } = this;
      const { targetsocket: socket } = this.client;
      if (socket && !notes.holdsReplies && hasCommand(this)) {
        socket.cork();
        notes.holdsReplies = true;
      }
      respond.call(this, code, text, then);
      if (!socket || !notes.holdsReplies) return;
      const given = typeof text === 'object' && 'code' in text ? text.code : code;
      const isLast = !hasCommand(this) || (given !== OK && given < FIRST_REFUSAL);
      if (isLast || socket.writableLength > MAX_HELD_BYTES) {
        notes.holdsReplies = false;
        socket.uncork();
      }
    };
  });
}

function hasCommand({ current_data }: Haraka.Connection): boolean {
  return current_data?.includes(LF) ?? false;
}
