/**
 * Limits the memory for pipelined input and unread replies of a client. Haraka reads commands
 * without waiting for its replies, and writes replies without waiting for the socket to drain, so a
 * client could exhaust the memory from either side.
 */
import constants from 'haraka-constants';
import { countBytes } from '../limits.ts';
import { replaceMethod } from './replace-method.ts';

const { DATA, PAUSE, PAUSE_SMTP } = constants.connection.state;

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
      if (this.state === PAUSE || this.state === PAUSE_SMTP) return;
      lookAt.call(this);
      if (this.notes.isHeldBack && pending(this) < MAX_PIPELINED_BYTES / 2) {
        this.notes.isHeldBack = false;
        this.client.resume();
      }
    };
  });
}

function pending({ current_data }: Haraka.Connection): number {
  return current_data?.length ?? 0;
}
