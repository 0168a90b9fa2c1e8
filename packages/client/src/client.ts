import {
  type Api,
  type ClientOptions,
  type Connection,
  connect,
  bodyOf,
  refuseOptions,
} from './connection/api.ts';
import { type EventOptions, liveEvents } from './events/event-stream.ts';
import { Inbox } from './inbox.ts';
import type { LiveEvent, MailboxData, Message, NewMailbox } from './types.ts';
import { Waits } from './waiting/waits.ts';

/** An inbox with the properties of its mailbox at the time of the request. */
export type Mailbox = Inbox & Readonly<MailboxData>;

export interface Mailboxes {
  /** Creates a mailbox. A `name` requires the plan Pro; without it, the service chooses one. */
  create: (properties?: NewMailbox) => Promise<Mailbox>;
  /**
   * The mailboxes that have all of the labels and whose names start with the prefix, newest first,
   * at most `limit` of them; read in pages of 100.
   */
  list: (filter?: {
    labels?: Record<string, string>;
    prefix?: string;
    limit?: number;
  }) => Promise<Mailbox[]>;
  get: (name: string) => Promise<Mailbox>;
  /** Deletes a mailbox by name, or all that have all of the labels. @returns how many. */
  delete: (which: string | { labels: Record<string, string> }) => Promise<number>;
}

/** The waits are for messages in all mailboxes, which have the name of their `mailbox`. */
export interface Mayfly extends Pick<Waits, keyof Waits> {
  readonly mailboxes: Mailboxes;
  /** A mailbox that exists, without a request. */
  inbox: (name: string) => Inbox;
  /**
   * The newest messages of all mailboxes that match a query, each with the name of its `mailbox`
   * and without `text` and `html`. @param options `limit`: how many at most (default: 100).
   */
  search: (q: string, options?: { limit?: number }) => Promise<Message[]>;
  /** What is in all mailboxes now, to wait for what comes after it, in whichever mailbox. */
  mark: () => Promise<string>;
  /** Changes of the workspace as they happen. */
  events: (options?: Omit<EventOptions, 'mark'>) => AsyncGenerator<LiveEvent, void>;
  readonly api: Api;
}

/** @throws {TypeError} without a token in the options and in `MAYFLY_TOKEN`. */
export function createClient(options?: ClientOptions): Mayfly {
  const connection = connect(options);
  const { api } = connection;
  return Object.assign(new Waits({ connection, name: null }), {
    api,
    mailboxes: mailboxesOf(connection),
    inbox: (name: string) => new Inbox(connection, name),
    search: async (q: string, { limit = PAGE, ...others }: { limit?: number } = {}) => {
      refuseOptions('search()', others);
      return searched(connection, q, limit);
    },
    mark: async () => bodyOf(await api.GET('/api/messages/mark')).mark,
    events: (events: Omit<EventOptions, 'mark'> = {}) =>
      liveEvents(connection, '/api/events', events),
  });
}

const PAGE = 100;

async function searched({ api }: Connection, q: string, limit: number): Promise<Message[]> {
  const found: Message[] = [];
  let after: string | null = null;
  do {
    const query: { q: string; limit: number; after?: string } = { q, limit: PAGE };
    if (after !== null) query.after = after;
    // A search that stops for its time has a cursor, and possibly no messages.
    const page = bodyOf(await api.GET('/api/messages', { params: { query } }));
    for (const message of page.messages) found.push(message);
    after = page.nextCursor;
  } while (after !== null && found.length < limit);
  return found.slice(0, limit);
}

function mailboxesOf(connection: Connection): Mailboxes {
  const { api } = connection;
  const open = (data: MailboxData): Mailbox =>
    Object.assign(new Inbox(connection, data.name, data), data);
  return {
    create: async (properties = {}) =>
      open(bodyOf(await api.POST('/api/mailboxes', { body: properties }))),
    list: async ({ labels = {}, prefix, limit = Infinity, ...others } = {}) => {
      refuseOptions('mailboxes.list()', others);
      const found: Mailbox[] = [];
      const query = { label: labeled(labels), limit: PAGE, ...(prefix ? { q: prefix } : {}) };
      let after: string | null = null;
      do {
        const params: { query: typeof query & { after?: string } } = {
          query: after === null ? query : { ...query, after },
        };
        const page = await api.GET('/api/mailboxes', { params });
        for (const data of bodyOf(page)) found.push(open(data));
        after = page.response.headers.get('next-cursor');
      } while (after !== null && found.length < limit);
      return found.slice(0, limit);
    },
    get: async (name) =>
      open(bodyOf(await api.GET('/api/mailboxes/{name}', { params: { path: { name } } }))),
    delete: async (which) => {
      if (typeof which === 'string') {
        await api.DELETE('/api/mailboxes/{name}', { params: { path: { name: which } } });
        return 1;
      }
      // Called from JavaScript too.
      const { labels = {} } = Object(which) as Partial<typeof which>;
      const label = labeled(labels);
      if (label.length === 0)
        throw new TypeError('delete() takes a name, or { labels: { key: value } } with a label.');
      return bodyOf(await api.DELETE('/api/mailboxes', { params: { query: { label } } })).deleted;
    },
  };
}

function labeled(labels: Record<string, string>): string[] {
  return Object.entries(labels).map(([key, value]) => `${key}:${value}`);
}
