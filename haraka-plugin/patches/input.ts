/**
 * Limits the memory for pipelined input and unread replies of a client. Haraka reads commands
 * without waiting for its replies, and writes replies without waiting for the socket to drain, so a
 * client could exhaust the memory from either side.
 */
import constants from 'haraka-constants';
import { countBytes } from '../limits.ts';
import { replaceMethod } from './replace-method.ts';

const { DATA, PAUSE, PAUSE_DATA, PAUSE_SMTP } = constants.connection.state;
/** The states in which a reply is due: to the connect, a command, or the final dot. */
const WAITING = new Set([PAUSE, PAUSE_SMTP, PAUSE_DATA]);
const LF = 0x0a;

/** Further input stays in TCP buffers (RFC 2920 section 3.2). */
const MAX_PIPELINED_BYTES = 64 * 1024;
/**
 * In addition to the kernel buffers. A client that pipelines must also read (RFC 2920 section 3.1).
 */
const MAX_UNREAD_REPLY_BYTES = 256 * 1024;

export function boundInput(haraka: Haraka.Patchable<'connection'>): void {
  replaceMethod(haraka, 'connection', 'process_data', 1, (read) => {
    return function (data) {
      const { targetsocket = this.client } = this.client;
      if ((targetsocket.writableLength ?? 0) > MAX_UNREAD_REPLY_BYTES) {
        this.disconnect();
        this.client.destroy();
        return;
      }
      if (this.notes.dataRate) countBytes(this.notes.dataRate, data, performance.now());
      read.call(this, data);
      if (this.state !== DATA && pending(this) > MAX_PIPELINED_BYTES) {
        this.notes.isHeldBack = true;
        if (this.notes.dataRate) this.notes.dataRate.lineSince = null; // the client is not slow while the server does not read
        this.client.pause();
      }
    };
  });

  replaceMethod(haraka, 'connection', '_process_data', 0, (lookAt) => {
    return function () {
      // While a command waits for its reply, Haraka polls the pending input in a busy loop. The
      // reply itself resumes processing, so the loop is skipped.
      if (WAITING.has(this.state)) return;
      lookAt.call(this);
      if (this.notes.isHeldBack && pending(this) < MAX_PIPELINED_BYTES / 2) {
        this.notes.isHeldBack = false;
        this.client.resume();
      }
    };
  });
}

/**
 * Answers a client that closes its sending side after its last command, and then reads. Haraka
 * takes the end of its input for the end of the connection: it would store the mail and not answer.
 */
export function replyToHalfClosed(haraka: Haraka.Patchable<'connection'>): void {
  replaceMethod(haraka, 'connection', 'fail', 2, (fail) => {
    return function (error, details) {
      // Called for the end of the input and for all other ends, which close both sides.
      if (this.remote.closed && this.client.writable) {
        this.remote.closed = false;
        this.notes.isHalfClosed = true;
        endIfAnswered(this);
      } else {
        fail.call(this, error, details);
      }
    };
  });

  replaceMethod(haraka, 'connection', '_process_data', 0, (lookAt) => {
    return function () {
      lookAt.call(this);
      endIfAnswered(this);
    };
  });
}

function endIfAnswered(connection: Haraka.Connection): void {
  if (!connection.notes.isHalfClosed || WAITING.has(connection.state)) return;
  if (!hasCommand(connection)) connection.disconnect();
}

/** Whether a complete line is read but not processed. */
export function hasCommand({ current_data }: Haraka.Connection): boolean {
  return current_data?.includes(LF) ?? false;
}

function pending({ current_data }: Haraka.Connection): number {
  return current_data?.length ?? 0;
}
