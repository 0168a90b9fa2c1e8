/**
 * Bounds what Haraka holds of a client's input and of replies that the client does not read. Haraka reads
 * commands as fast as they come, however long the answer to the first of them takes, and hands replies to
 * the socket whether or not they drain: a client could fill the memory from either side.
 */
import constants from 'haraka-constants';
import { countBytes } from '../limits/data-rate.js';
import { replaceMethod } from './replace-method.js';

const { DATA, PAUSE, PAUSE_SMTP } = constants.connection.state;

/** RFC 2920 section 3.2 leaves to TCP what we do not read yet. */
const MAX_PIPELINED_BYTES = 64 * 1024;
/** Beyond what the kernel holds; a client that pipelines must read along (RFC 2920 section 3.1). */
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
        if (this.notes.dataRate) this.notes.dataRate.lineSince = null; // not its fault if a line has no end yet
        this.client.pause();
      }
    };
  });

  replaceMethod(haraka, 'connection', '_process_data', 0, (lookAt) => {
    return function () {
      // While a command waits for its answer, Haraka looks at what follows again and again in a busy loop.
      // There is no need to: the answer itself makes it go on.
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
