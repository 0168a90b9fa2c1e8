import { bodyOf, type Connection, refuseDots } from './connection/api.ts';
import { type Claim, type ClaimOptions, claimMessage } from './waiting/claim.ts';
import { type Criteria, describe } from './waiting/criteria.ts';
import { MayflyError, MayflyTimeout, MayflyUnexpectedMessage } from './errors.ts';
import { type EventOptions, liveEvents } from './events/event-stream.ts';
import { NearMisses } from './waiting/near-misses.ts';
import { search } from './waiting/search.ts';
import type { Extracted, LinkKind, LiveEvent, Mail, Message, Reply, Sent } from './types.ts';

export interface WaitOptions extends Criteria {
  /** Seconds. @default 25 */
  timeout?: number;
  signal?: AbortSignal;
}

export interface NoneOptions extends Criteria {
  /** Seconds during which no message may arrive. @default 5 */
  within?: number;
  signal?: AbortSignal;
}

const TIMEOUT_SECONDS = 25;
const WITHIN_SECONDS = 5;
/** A mail has up to 25 MiB. */
const FILE_MS = 600_000;
/** Seconds after the window in which accepted mail must have been stored. */
const SETTLE_SECONDS = 30;

/** The least confidence of a main link, as for `link` of the service. */
const CONFIDENCE = 0.7;
const MAIN_KINDS: LinkKind[] = ['verify', 'signIn', 'reset', 'invite'];

/** A mailbox as a test uses it. */
export class Inbox {
  readonly #connection: Connection;
  readonly name: string;

  /** @internal */
  constructor(connection: Connection, name: string) {
    refuseDots(name);
    this.#connection = connection;
    this.name = name;
  }

  /**
   * The oldest message that matches, as soon as there is one.
   * @throws {MayflyTimeout} when there is none in time.
   */
  async wait(options: WaitOptions = {}): Promise<Message> {
    return this.#find(options, 'message', (message) => message);
  }

  /**
   * The verification code of the oldest message that matches and has one: `482913`.
   * @throws {MayflyTimeout} when there is none in time.
   */
  async waitForCode(options: WaitOptions = {}): Promise<string> {
    return this.#find(options, 'code', ({ extracted }) => extracted?.code, { hasCode: true });
  }

  /**
   * The main link of the oldest message that matches and has one, or its link of a kind.
   * @throws {MayflyTimeout} when there is none in time.
   */
  async waitForLink(kind?: LinkKind | WaitOptions, options?: WaitOptions): Promise<string> {
    const [wanted, rest] = typeof kind === 'object' ? [undefined, kind] : [kind, options];
    const what = wanted === undefined ? 'link' : `link "${wanted}"`;
    const extract = wanted === undefined ? {} : { link: wanted };
    return this.#find(rest ?? {}, what, ({ extracted }) => linkOf(extracted, wanted), extract);
  }

  /**
   * Resolves after `within` seconds without a message that matches, when all mail accepted until
   * then has been considered. Pass `mark` to leave out what is in the mailbox.
   * @throws {MayflyUnexpectedMessage} as soon as one matches.
   * @throws {MayflyError} `unsettled` when accepted mail is not stored within another 30 seconds.
   */
  async expectNone(options: NoneOptions = {}): Promise<void> {
    const { within = WITHIN_SECONDS, signal, ...criteria } = options;
    const giveUpAt = Date.now() + (within + SETTLE_SECONDS) * 1000;
    for (let timeout = within; ; timeout = 1) {
      const misses = new NearMisses();
      const found = search(this.#connection, this.name, criteria, { timeout, signal }, misses);
      const { done, value } = await found.next();
      if (!done) throw new MayflyUnexpectedMessage(this.name, describe(criteria), value);
      if (value.settled) return;
      if (Date.now() >= giveUpAt) {
        const error = 'Whether a message arrived is unknown: accepted mail is still being stored.';
        throw new MayflyError(0, { code: 'unsettled', error });
      }
    }
  }

  /**
   * Claims the oldest free message that matches: no two clients that claim get the same one.
   * @throws {MayflyTimeout} when there is none in time.
   */
  async claim(options: ClaimOptions = {}): Promise<Claim> {
    return claimMessage(this.#connection, this.name, options);
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

  /**
   * The first result of the messages that match.
   * @param extract a criterion of codes and links, or none; the messages then have `extracted`.
   */
  async #find<Found>(
    { timeout = TIMEOUT_SECONDS, signal, ...criteria }: WaitOptions,
    what: string,
    look: (message: Message) => Found | null | undefined,
    extract?: Pick<Criteria, 'hasCode' | 'link'>,
  ): Promise<Found> {
    const began = Date.now();
    const misses = new NearMisses();
    const options = { timeout, signal, extract: extract !== undefined };
    const asked = { ...criteria, ...extract };
    for await (const message of search(this.#connection, this.name, asked, options, misses)) {
      const found = look(message);
      if (found) return found;
      misses.add([{ messageId: message.id, subject: message.subject, failed: [what] }]);
    }
    const unmatched = misses.count;
    // The service names the criterion; the error names what was waited for.
    const nearest = misses.nearest.map(({ failed, ...miss }) => ({
      ...miss,
      failed: failed.map((name) => (extract && name in extract ? what : name)),
    }));
    const waitedMs = Date.now() - began;
    throw new MayflyTimeout(this.name, describe(criteria, what), { nearest, unmatched, waitedMs });
  }

  #at(): { params: { path: { name: string } } };
  #at(id: string): { params: { path: { name: string; id: string } } };
  #at(id?: string) {
    return { params: { path: { name: this.name, ...(id === undefined ? {} : { id }) } } };
  }
}

const PAGE = { limit: 100 };

/**
 * The link of a kind, or the main link; null if there is none. A link of a main kind must be
 * certain.
 */
function linkOf(extracted?: Extracted, kind?: LinkKind): string | null {
  if (!extracted || kind === undefined) return extracted?.link ?? null;
  const ofKind = extracted.links.filter((one) => one.kind === kind);
  const best = ofKind.find(({ url }) => url === extracted.link) ?? ofKind[0];
  if (!best || (MAIN_KINDS.includes(kind) && best.confidence < CONFIDENCE)) return null;
  return best.url;
}
