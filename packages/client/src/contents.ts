import { now } from './connection/clock.ts';
import { bodyOf, type Connection } from './connection/api.ts';
import { MayflyError } from './errors.ts';
import { kindOf } from './waiting/criteria.ts';
import type { Place } from './waiting/search.ts';
import { Waits } from './waiting/waits.ts';
import type {
  Attachment,
  EnclosedMessage,
  Extracted,
  ExtractedLink,
  HeaderField,
  LinkKind,
  Message,
  PartTree,
  Reply,
  Sent,
} from './types.ts';

/** What links are for. */
export const LINK_KINDS: readonly LinkKind[] = [
  'verify',
  'signIn',
  'reset',
  'invite',
  'unsubscribe',
  'preferences',
  'viewOnline',
  'legal',
  'social',
  'other',
];
/** A mail has up to 25 MiB. */
const FILE_MS = 600_000;

/** A file of a mail, as assertions need it. */
export interface MailAttachment extends Attachment {
  /** The first 1 MiB of text, JSON and XML, decoded; null for other files. */
  text: string | null;
}

/**
 * A program in JavaScript can pass a message, or nothing.
 * @throws {TypeError} for what is no id.
 */
function checkedId(id: unknown): string {
  if (typeof id === 'string' && id !== '') return id;
  throw new TypeError(`A message is named by its id, such as "msg_...", not by ${kindOf(id)}.`);
}

/** The messages of a mailbox by id. */
export class Contents extends Waits {
  readonly #place: Place & { name: string };

  /** @internal */
  constructor(place: Place & { name: string }) {
    super(place);
    this.#place = place;
  }

  async read(id: string): Promise<Message> {
    const path = '/api/mailboxes/{name}/messages/{id}';
    return bodyOf(await this.#api.GET(path, this.#at(id)));
  }

  /** The codes and links of a message, with the reasons. */
  async extracted(id: string): Promise<Extracted> {
    const path = '/api/mailboxes/{name}/messages/{id}/extracted';
    return bodyOf(await this.#api.GET(path, this.#at(id)));
  }

  /**
   * The links of a message, of one kind or of all, in the order of the service.
   * @throws {TypeError} for an unknown kind.
   */
  async links(id: string, kind?: LinkKind): Promise<ExtractedLink[]> {
    if (kind !== undefined && !LINK_KINDS.includes(kind))
      throw new TypeError(`There is no kind of link '${kind}'. Use ${LINK_KINDS.join(', ')}.`);
    const { links } = await this.extracted(id);
    return kind === undefined ? links : links.filter((link) => link.kind === kind);
  }

  /** All header fields in their order, with decoded words. */
  async headers(id: string): Promise<HeaderField[]> {
    const path = '/api/mailboxes/{name}/messages/{id}/headers';
    return bodyOf(await this.#api.GET(path, this.#at(id))).headers;
  }

  /** The text part, or the HTML as a reader sees it. */
  async text(id: string): Promise<string> {
    const path = '/api/mailboxes/{name}/messages/{id}/text';
    const { data = '' } = await this.#api.GET(path, { ...this.#at(id), parseAs: 'text' });
    return data;
  }

  /** The attachments of a message in their order; those of text with their content. */
  async attachments(id: string): Promise<MailAttachment[]> {
    const read: MailAttachment[] = [];
    for (const attachment of (await this.read(id)).attachments) {
      read.push({ ...attachment, text: await this.#textOf(id, attachment.id) });
    }
    return read;
  }

  /** The MIME parts of a message as a tree, with those of enclosed mails. */
  async parts(id: string): Promise<PartTree> {
    const path = '/api/mailboxes/{name}/messages/{id}/parts';
    return bodyOf(await this.#api.GET(path, this.#at(id)));
  }

  /** The decoded content of a part. @param section its number in the tree, such as `2.1`. */
  async part(id: string, section: string): Promise<Uint8Array> {
    const path = '/api/mailboxes/{name}/messages/{id}/parts/{section}';
    const params = { path: { name: this.#place.name, id: checkedId(id), section } };
    return this.#bytes(await this.#api.GET(path, { params, ...this.#file() }));
  }

  /** The mail that a part of the type `message/rfc822` encloses. */
  async enclosed(id: string, section: string): Promise<EnclosedMessage> {
    const path = '/api/mailboxes/{name}/messages/{id}/parts/{section}/message';
    const params = { path: { name: this.#place.name, id: checkedId(id), section } };
    return bodyOf(await this.#api.GET(path, { params }));
  }

  /** Answers a message, or forwards it, inside the workspace. */
  async reply(id: string, reply: Reply): Promise<Sent> {
    const path = '/api/mailboxes/{name}/messages/{id}/reply';
    return bodyOf(await this.#api.POST(path, { ...this.#at(id), body: reply }));
  }

  /** The mail as it arrived: an `.eml` file. */
  async raw(id: string): Promise<Uint8Array> {
    const path = '/api/mailboxes/{name}/messages/{id}/raw';
    return this.#bytes(await this.#api.GET(path, { ...this.#at(id), ...this.#file() }));
  }

  async #textOf(id: string, attachmentId: string): Promise<string | null> {
    const path = '/api/mailboxes/{name}/messages/{id}/attachments/{attachmentId}/text';
    const params = { path: { name: this.#place.name, id, attachmentId } };
    try {
      const { data = '' } = await this.#api.GET(path, { params, parseAs: 'text' });
      return data;
    } catch (error) {
      if (error instanceof MayflyError && error.code === 'unprocessable') return null;
      throw error;
    }
  }

  get #api(): Connection['api'] {
    return this.#place.connection.api;
  }

  #file() {
    const fetch = this.#place.connection.fetchUntil(now() + FILE_MS, FILE_MS);
    return { parseAs: 'arrayBuffer' as const, fetch };
  }

  #bytes({ data }: { data?: ArrayBuffer }): Uint8Array {
    return new Uint8Array(data ?? new ArrayBuffer());
  }

  #at(id: string): { params: { path: { name: string; id: string } } } {
    return { params: { path: { name: this.#place.name, id: checkedId(id) } } };
  }
}
