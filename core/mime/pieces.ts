/**
 * Values that are sent to another process in pieces, with other work in between: serializing and
 * reading one message of 24 MB holds the event loop for 40 ms. Long texts and buffers are taken out
 * of the value and sent before it.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';

type Content = string | Buffer;

/** A part of a long text or buffer. */
interface Piece {
  /** Index of the content. */
  of: number;
  /** Characters or bytes of the whole content. */
  length: number;
  /** Of the part, in the content. */
  at: number;
  part: Content;
}

/** A message before the value. */
export interface Pieces {
  pieces: Piece[];
}

/** The value without its long contents, and where each of them belongs. */
export interface Rest {
  value: unknown;
  places: (string | number)[][];
}

/** Characters or bytes. Shorter contents stay in the value. */
const SHORT = 4 * 1024;
/** Of one message. */
const MOST = 256 * 1024;

/**
 * Sends the long contents of the value.
 * @param send resolves when the message has been written
 * @returns what is to be sent after them
 */
export async function sendPieces(
  value: unknown,
  send: (message: Pieces) => Promise<void>,
): Promise<Rest> {
  const contents: Content[] = [];
  const places: Rest['places'] = [];
  const rest = withoutContents(value, [], (content, place) => {
    contents.push(content);
    places.push(place);
  });
  let pieces: Piece[] = [];
  let room = MOST;
  for (const [of, content] of contents.entries()) {
    for (let at = 0; at < content.length;) {
      const part = partOf(content, at, at + room);
      pieces.push({ of, length: content.length, at, part });
      at += part.length;
      room -= part.length;
      if (room > 0) continue;
      await send({ pieces });
      await nextTurn(); // what a pipe takes at once is written without a turn
      pieces = [];
      room = MOST;
    }
  }
  if (pieces.length > 0) await send({ pieces });
  return { value: rest, places };
}

function partOf(content: Content, start: number, end: number): Content {
  return typeof content === 'string' ? content.slice(start, end) : content.subarray(start, end);
}

function withoutContents(
  value: unknown,
  place: (string | number)[],
  take: (content: Content, place: (string | number)[]) => void,
): unknown {
  if ((typeof value === 'string' || Buffer.isBuffer(value)) && value.length > SHORT) {
    take(value, place);
    return null;
  }
  if (Array.isArray(value))
    return value.map((each, n) => withoutContents(each, [...place, n], take));
  if (!isPlain(value)) return value;
  const entries = Object.entries(value).map(
    ([key, each]) => [key, withoutContents(each, [...place, key], take)] as const,
  );
  return Object.fromEntries(entries);
}

function isPlain(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** Puts a value together again. */
export class Assembly {
  readonly #contents: Content[] = [];

  add({ pieces }: Pieces): void {
    for (const { of, length, at, part } of pieces) {
      if (typeof part === 'string') {
        const before = this.#contents[of];
        this.#contents[of] = typeof before === 'string' ? before + part : part;
        continue;
      }
      const whole = this.#contents[of] ?? Buffer.allocUnsafeSlow(length);
      if (typeof whole === 'string') continue;
      whole.set(part, at);
      this.#contents[of] = whole;
    }
  }

  finish({ value, places }: Rest): unknown {
    let whole = value;
    for (const [of, place] of places.entries()) {
      const last = place.at(-1);
      const content = this.#contents[of];
      if (last === undefined) whole = content;
      else setIn(placeIn(whole, place.slice(0, -1)), last, content);
    }
    return whole;
  }
}

function placeIn(value: unknown, place: (string | number)[]): unknown {
  return place.reduce<unknown>((inner, key) => {
    if (Array.isArray(inner)) return (inner as unknown[])[Number(key)];
    return isPlain(inner) ? inner[key] : undefined;
  }, value);
}

function setIn(target: unknown, key: string | number, content: unknown): void {
  if (Array.isArray(target)) target[Number(key)] = content;
  else if (isPlain(target)) target[key] = content;
}
