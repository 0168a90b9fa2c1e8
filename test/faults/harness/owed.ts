/** The webhook receiver, and the messages whose calls it has answered with success. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Received, type Receiver, openReceiver } from '../../support/servers/receiver.ts';

export type Behavior = (req: IncomingMessage, res: ServerResponse, received: Received) => void;

export interface OwedReceiver {
  readonly receiver: Receiver;
  readonly url: string;
  /** Ids of the messages whose calls were answered with 204. */
  readonly told: Set<string>;
  /** Answers with `how` until `during` resolves; these calls do not count. */
  readonly misbehave: (how: Behavior, during: () => Promise<unknown>) => Promise<void>;
  readonly close: () => Promise<void>;
}

export async function openOwedReceiver(): Promise<OwedReceiver> {
  const receiver = await openReceiver();
  const told = new Set<string>();
  const behave: Behavior = (_req, res, { headers }) => {
    told.add(headers['webhook-id'] ?? '');
    receiver.received.length = 0; // keeps the memory of long runs bounded
    res.writeHead(204).end();
  };
  receiver.answer(behave);
  return {
    receiver,
    url: receiver.url,
    told,
    async misbehave(how, during) {
      receiver.answer(how);
      try {
        await during();
      } finally {
        receiver.answer(behave);
      }
    },
    close: receiver.close,
  };
}
