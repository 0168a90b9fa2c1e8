import { bodyOf, type Connection, refuseDots, refuseOptions } from './connection/api.ts';
import { type Claim, type ClaimOptions, claimMessage } from './waiting/claim.ts';
import { type EventOptions, liveEvents } from './events/event-stream.ts';
import { Contents } from './contents.ts';
import type { LiveEvent, Mail, MailboxData, Message, Sent, StoredMail } from './types.ts';

/** A mailbox as a test uses it. */
export class Inbox extends Contents {
  readonly #connection: Connection;
  readonly name: string;

  /** @internal */
  constructor(connection: Connection, name: string, known?: MailboxData) {
    refuseDots(name);
    super({ connection, name, known });
    this.#connection = connection;
    this.name = name;
  }

  /**
   * Claims the oldest free message that matches: no two clients that claim get the same one.
   * @throws {MayflyTimeout} when there is none in time.
   */
  async claim(options: ClaimOptions = {}): Promise<Claim> {
    return claimMessage({ connection: this.#connection, name: this.name }, options);
  }

  /** What is in the mailbox now, to wait for what comes after it. */
  async mark(): Promise<string> {
    return bodyOf(await this.#connection.api.GET('/api/mailboxes/{name}/mark', this.#at())).mark;
  }

  /** All messages, newest first, read page by page. */
  async *messages(): AsyncGenerator<Message, void> {
    let after: string | null = null;
    do {
      const query: { limit: number; after?: string } = after === null ? PAGE : { ...PAGE, after };
      const page = bodyOf(
        await this.#connection.api.GET('/api/mailboxes/{name}/messages', {
          params: { path: { name: this.name }, query },
        }),
      );
      yield* page.messages;
      after = page.nextCursor;
    } while (after !== null);
  }

  /** The newest messages. @param options `limit`: how many at most (default: 100). */
  async list({ limit = PAGE.limit, ...others }: { limit?: number } = {}): Promise<Message[]> {
    refuseOptions('list()', others);
    const listed: Message[] = [];
    for await (const message of this.messages()) {
      if (listed.length >= limit) break;
      listed.push(message);
    }
    return listed;
  }

  /**
   * Stores a mail in the format of RFC 5322, such as an `.eml` file, as if it had arrived here.
   * @param envelope its sender and recipients; by default those of `From`, and this mailbox.
   * @throws {TypeError} for what is no mail.
   */
  async store(
    raw: string | Uint8Array,
    { to, from, ...others }: { to?: string | string[]; from?: string } = {},
  ): Promise<StoredMail> {
    if ((typeof raw !== 'string' && !ArrayBuffer.isView(raw)) || raw.length === 0)
      throw new TypeError('store() takes a mail in the format of RFC 5322: a string or bytes.');
    refuseOptions('store()', others);
    const query = {
      ...(to === undefined ? {} : { to: [to].flat() }),
      ...(from === undefined ? {} : { from }),
    };
    const stored = await this.#connection.api.POST('/api/mailboxes/{name}/messages/raw', {
      params: { path: { name: this.name }, query },
      headers: { 'content-type': 'message/rfc822' },
      body: raw,
      bodySerializer: () => raw,
    });
    return bodyOf(stored);
  }

  /** Sends a mail from this mailbox to mailboxes of the workspace. */
  async send(mail: Mail): Promise<Sent> {
    const path = '/api/mailboxes/{name}/messages';
    return bodyOf(await this.#connection.api.POST(path, { ...this.#at(), body: mail }));
  }

  /** Changes of this mailbox as they happen; ends when the mailbox is deleted. */
  events(options: EventOptions = {}): AsyncGenerator<LiveEvent, void> {
    const path = `/api/mailboxes/${encodeURIComponent(this.name)}/events`;
    return liveEvents(this.#connection, path, options);
  }

  /** Deletes all messages. */
  async clear(): Promise<number> {
    const path = '/api/mailboxes/{name}/messages';
    return bodyOf(await this.#connection.api.DELETE(path, this.#at())).deleted;
  }

  /** Deletes the mailbox with its messages. */
  async delete(): Promise<void> {
    await this.#connection.api.DELETE('/api/mailboxes/{name}', this.#at());
  }

  #at(): { params: { path: { name: string } } } {
    return { params: { path: { name: this.name } } };
  }
}

const PAGE = { limit: 100 };
