/** The wire format of Server-Sent Events (WHATWG HTML, section 9.2). */
import type { Response } from 'express';
import { probeAtEnd } from './request.ts';

/** Delay before a client reconnects. */
const RETRY_MS = 2000;

/** A client with more unread bytes is disconnected, and receives the rest when it reconnects. */
const MAX_UNREAD_BYTES = 1024 * 1024;

export interface EventStream {
  /** Sends an event named `type`; the client stores the id, if given. */
  send: (type: string, data: unknown, id?: string) => void;
  /** Sends a keep-alive that updates the client's last event id. */
  beat: (id: string) => void;
  /** Resolves when the client has read most of what was sent, or has gone. */
  drained: () => Promise<void>;
  /** Disconnects the client, which receives the rest when it reconnects. */
  cut: () => void;
  end: () => void;
}

/** Until something is sent, another response is still possible. */
export function openEventStream(res: Response): EventStream {
  const begin = () => {
    res.writeHead(200, {
      'Content-Type': 'text/event-stream; charset=utf-8',
      // Disables response buffering in nginx.
      'X-Accel-Buffering': 'no',
    });
    res.write(`retry: ${RETRY_MS}\n\n`);
  };
  probeAtEnd(res);
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
    drained: () =>
      new Promise((resolve) => {
        if (res.writableEnded || res.destroyed || !res.writableNeedDrain) {
          resolve();
          return;
        }
        const done = () => {
          res.off('drain', done).off('close', done);
          resolve();
        };
        res.on('drain', done).on('close', done);
      }),
    cut() {
      res.destroy();
    },
    end() {
      if (!res.headersSent) begin();
      res.end();
    },
  };
}
