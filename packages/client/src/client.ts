import { type Api, type ClientOptions, connect } from './connection/api.ts';
import { type EventOptions, liveEvents } from './events/event-stream.ts';
import { Inbox } from './inbox.ts';
import { type Mailboxes, mailboxesOf } from './mailboxes.ts';
import type { LiveEvent } from './types.ts';

export interface Mayfly {
  readonly mailboxes: Mailboxes;
  /** A mailbox that exists, without a request. */
  inbox: (name: string) => Inbox;
  /** Changes of the workspace as they happen. */
  events: (options?: Omit<EventOptions, 'mark'>) => AsyncGenerator<LiveEvent, void>;
  readonly api: Api;
}

/** @throws {TypeError} without a token in the options and in `MAYFLY_TOKEN`. */
export function createClient(options?: ClientOptions): Mayfly {
  const connection = connect(options);
  return {
    api: connection.api,
    mailboxes: mailboxesOf(connection),
    inbox: (name) => new Inbox(connection, name),
    events: (options = {}) => liveEvents(connection, '/api/events', options),
  };
}
