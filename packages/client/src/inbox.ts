import { bodyOf, type Connection, refuseDots } from './connection/api.ts';
import { type Claim, type ClaimOptions, claimMessage } from './waiting/claim.ts';
import { type EventOptions, liveEvents } from './events/event-stream.ts';
import { Waits } from './waiting/waits.ts';
import type { Extracted, LiveEvent, Mail, Message, Reply, Sent } from './types.ts';

/** A mail has up to 25 MiB. */
const FILE_MS = 600_000;
/** A mailbox as a test uses it. */
export class Inbox extends Waits {
  readonly #connection: Connection;
  readonly name: string;

  /** @internal */
  constructor(connection: Connection, name: string) {
    refuseDots(name);
    super({ connection, name });
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

  async read(id: string): Promise<Message> {
    const path = '/api/mailboxes/{name}/messages/{id}';
    return bodyOf(await this.#connection.api.GET(path, this.#at(id)));
  }

  /** The codes and links of a message, with the reasons. */
  async extracted(id: string): Promise<Extracted> {
    const path = '/api/mailboxes/{name}/messages/{id}/extracted';
    return bodyOf(await this.#connection.api.GET(path, this.#at(id)));
  }

  /** The mail as it arrived: an `.eml` file. */
  async raw(id: string): Promise<Uint8Array> {
    const path = '/api/mailboxes/{name}/messages/{id}/raw';
    const { data } = await this.#connection.api.GET(path, {
      ...this.#at(id),
      parseAs: 'arrayBuffer',
      fetch: this.#connection.fetchUntil(Date.now() + FILE_MS, FILE_MS),
    });
    return new Uint8Array(data ?? new ArrayBuffer());
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

  /** Sends a mail from this mailbox to mailboxes of the workspace. */
  async send(mail: Mail): Promise<Sent> {
    const path = '/api/mailboxes/{name}/messages';
    return bodyOf(await this.#connection.api.POST(path, { ...this.#at(), body: mail }));
  }

  /** Answers a message, or forwards it, inside the workspace. */
  async reply(id: string, reply: Reply): Promise<Sent> {
    const path = '/api/mailboxes/{name}/messages/{id}/reply';
    return bodyOf(await this.#connection.api.POST(path, { ...this.#at(id), body: reply }));
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

  #at(): { params: { path: { name: string } } };
  #at(id: string): { params: { path: { name: string; id: string } } };
  #at(id?: string) {
    return { params: { path: { name: this.name, ...(id === undefined ? {} : { id }) } } };
  }
}

const PAGE = { limit: 100 };
