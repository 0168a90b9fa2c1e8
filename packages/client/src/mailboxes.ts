import { bodyOf, type Connection } from './connection/api.ts';
import { Inbox } from './inbox.ts';
import type { MailboxData, NewMailbox } from './types.ts';

/** An inbox with the properties of its mailbox at the time of the request. */
export type Mailbox = Inbox & Readonly<MailboxData>;

export interface Mailboxes {
  /** Creates a mailbox. A `name` requires the plan Pro; without it, the service chooses one. */
  create: (properties?: NewMailbox) => Promise<Mailbox>;
  /** All mailboxes, or those that have all of the labels, newest first. */
  list: (filter?: { labels?: Record<string, string> }) => Promise<Mailbox[]>;
  get: (name: string) => Promise<Mailbox>;
  /** Deletes a mailbox by name, or all that have all of the labels. @returns how many. */
  delete: (which: string | { labels: Record<string, string> }) => Promise<number>;
}

/** @internal */
export function mailboxesOf(connection: Connection): Mailboxes {
  const { api } = connection;
  const open = (data: MailboxData): Mailbox =>
    Object.assign(new Inbox(connection, data.name), data);
  return {
    create: async (properties = {}) =>
      open(bodyOf(await api.POST('/api/mailboxes', { body: properties }))),
    list: async ({ labels = {} } = {}) => {
      const params = { query: { label: labelled(labels) } };
      return bodyOf(await api.GET('/api/mailboxes', { params })).map(open);
    },
    get: async (name) =>
      open(bodyOf(await api.GET('/api/mailboxes/{name}', { params: { path: { name } } }))),
    delete: async (which) => {
      if (typeof which === 'string') {
        await api.DELETE('/api/mailboxes/{name}', { params: { path: { name: which } } });
        return 1;
      }
      const params = { query: { label: labelled(which.labels) } };
      return bodyOf(await api.DELETE('/api/mailboxes', { params })).deleted;
    },
  };
}

function labelled(labels: Record<string, string>): string[] {
  return Object.entries(labels).map(([key, value]) => `${key}:${value}`);
}
