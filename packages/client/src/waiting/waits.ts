import type { Extracted, LinkKind, Message } from '../types.ts';
import { find, type WaitOptions } from './find.ts';
import { expectNone, type NoneOptions } from './none.ts';
import type { Place } from './search.ts';

/** The least confidence of a main link, as for `link` of the service. */
const CONFIDENCE = 0.7;
const MAIN_KINDS: LinkKind[] = ['verify', 'signIn', 'reset', 'invite'];

/** Waits for messages, and for their absence. */
export class Waits {
  readonly #place: Place;

  /** @internal */
  constructor(place: Place) {
    this.#place = place;
  }

  /**
   * The oldest message that matches, as soon as there is one; with `order: 'newest'` the newest.
   * @throws {MayflyTimeout} when there is none in time.
   */
  async wait(options: WaitOptions = {}): Promise<Message> {
    return find(this.#place, options, {
      what: 'message',
      order: 'oldest',
      look: (message) => message,
    });
  }

  /**
   * The verification code of the newest message that matches and has one: `482913`. Pass `mark` to
   * leave out a code that was there before.
   * @throws {MayflyTimeout} when there is none in time.
   */
  async waitForCode(options: WaitOptions = {}): Promise<string> {
    return find(this.#place, options, {
      what: 'code',
      order: 'newest',
      look: ({ extracted }) => extracted?.code,
      extract: { hasCode: true },
    });
  }

  /**
   * The main link of the newest message that matches and has one, or its link of a kind.
   * @throws {MayflyTimeout} when there is none in time.
   */
  async waitForLink(kind?: LinkKind | WaitOptions, options?: WaitOptions): Promise<string> {
    const [wanted, rest] = typeof kind === 'object' ? [undefined, kind] : [kind, options];
    return find(this.#place, rest ?? {}, {
      what: wanted === undefined ? 'link' : `link "${wanted}"`,
      order: 'newest',
      look: ({ extracted }) => linkOf(extracted, wanted),
      extract: wanted === undefined ? {} : { link: wanted },
    });
  }

  /**
   * Resolves after `within` seconds without a message that matches, when all mail accepted until
   * then has been considered. Pass `mark` to leave out what is there already.
   * @throws {MayflyUnexpectedMessage} as soon as one matches.
   * @throws {MayflyError} `unsettled` when accepted mail is not stored within another 30 seconds.
   */
  async expectNone(options: NoneOptions = {}): Promise<void> {
    return expectNone(this.#place, options);
  }
}

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
