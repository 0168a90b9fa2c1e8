/** Server-Sent Events as they go over the wire (WHATWG HTML, section 9.2). */
import type { Response } from 'express';

/** What a client that lost the stream should wait before it comes back. */
const RETRY_MS = 2000;

/** Who leaves more than this unread is hung up on, and gets the rest when it comes back. */
const MAX_UNREAD_BYTES = 1024 * 1024;

export interface EventStream {
  /** An event named `type`; the client keeps the id, where there is one. */
  send: (type: string, data: unknown, id?: string) => void;
  /** Keeps the connection, and moves the client's id along. */
  beat: (id: string) => void;
  end: () => void;
}

/** Until something is sent, the answer may still become another one. */
export function openEventStream(res: Response): EventStream {
  const begin = () => {
    res.writeHead(200, {
      'Content-Type': 'text/event-stream; charset=utf-8',
      // Tells nginx not to gather the answer.
      'X-Accel-Buffering': 'no',
    });
    res.write(`retry: ${RETRY_MS}\n\n`);
  };
  const write = (block: string) => {
    if (res.writableEnded || res.destroyed) return;
    if (!res.headersSent) begin();
    if (res.writableLength > MAX_UNREAD_BYTES) res.destroy();
    else res.write(`${block}\n\n`);
  };
  return {
    send(type, data, id) {
      const place = id === undefined ? '' : `id: ${id}\n`;
      write(`${place}event: ${type}\ndata: ${JSON.stringify(data)}`);
    },
    beat(id) {
      write(`:\nid: ${id}`);
    },
    end() {
      if (!res.headersSent) begin();
      res.end();
    },
  };
}
