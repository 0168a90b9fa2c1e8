/**
 * Decodes the sets of ISO 2022 with escapes: ISO-2022-JP (RFC 1468), with JIS X 0212 (RFC 2237),
 * with Chinese, Korean and Latin-1 (RFC 1554), and with kana between SO and SI (cp50222). Two bytes
 * are a character of a table of 94 by 94, which the EUC of the set gives: mail can have an escape
 * for each character, and a decoder for each stretch would take 0.5 s for 1 MB.
 */
import { TextDecoder } from 'node:util';

/** The characters of a set, by their bytes; null stands for ASCII. */
interface CharacterSet {
  /** Bytes of a character. */
  width: 1 | 2;
  /** UTF-16 code units: of each second byte for each first one, or of each byte. */
  units: Uint16Array;
}

const ROW = 94;
const FIRST = 0x21;
const HIGH_BIT = 0x80;
const REPLACEMENT = 0xfffd;

/** @param prefix what precedes a character of the set in its EUC. */
function lazySet(charset: string, width: 1 | 2, prefix: number[] = []): () => CharacterSet {
  let set: CharacterSet | null = null;
  return () => (set ??= { width, units: unitsOf(charset, width, prefix) });
}

function unitsOf(charset: string, width: 1 | 2, prefix: number[]): Uint16Array {
  const decoder = new TextDecoder(charset);
  return Uint16Array.from({ length: ROW ** width }, (_, n) => {
    const bytes = width === 1 ? [n] : [Math.floor(n / ROW), n % ROW];
    const euc = bytes.map((byte) => (byte + FIRST) | HIGH_BIT);
    const character = decoder.decode(Uint8Array.from([...prefix, ...euc]));
    return character.length === 1 ? character.charCodeAt(0) : REPLACEMENT;
  });
}

const JAPANESE = lazySet('euc-jp', 2);
const FURTHER_JAPANESE = lazySet('euc-jp', 2, [0x8f]);
const KANA = lazySet('euc-jp', 1, [0x8e]);
const CHINESE = lazySet('gbk', 2);
const KOREAN = lazySet('euc-kr', 2);
const LATIN = lazySet('iso-8859-1', 1);
const GREEK = lazySet('iso-8859-7', 1);

const SETS = new Map<string, () => CharacterSet>([
  ['$@', JAPANESE],
  ['$B', JAPANESE],
  ['$(D', FURTHER_JAPANESE],
  ['(I', KANA],
  ['$A', CHINESE],
  ['$(C', KOREAN],
]);
const ESC = 0x1b;
const SO = 0x0e;
const SI = 0x0f;
const SPACE = 0x20;
/** Escapes that `TextDecoder` does not know. */
const FURTHER = /\u001b\$(?:\(D|A|\(C)|\u001b\.|[\u000e\u000f]/; // oxlint-disable-line no-control-regex
/** What follows ESC: the set of the next characters, or of single ones, or a single one. */
const ESCAPE = /(?:(\$\([A-Z]|\$[@AB]|\([A-Z])|\.([A-Z])|N([ -~]))/y;

/** The text; invalid characters become U+FFFD. */
export function decodeIso2022Jp(bytes: Buffer): string {
  const text = bytes.toString('latin1');
  if (FURTHER.test(text) && !text.includes('\x1b$)')) return decodeStretches(bytes, text);
  // Adjacent words end and begin with an escape, and `TextDecoder` reports an escape without a
  // character after it as an error.
  const joined = text.replaceAll('\x1b(B\x1b$', '\x1b$');
  return new TextDecoder('iso-2022-jp').decode(Buffer.from(joined, 'latin1'));
}

/** @param text the bytes, one character each. */
function decodeStretches(bytes: Buffer, text: string): string {
  const units = new Uint16Array(bytes.length);
  let written = 0;
  let set: CharacterSet | null = null;
  /** The set that `ESC .` names. */
  let singles = LATIN;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte === SO || byte === SI) {
      set = byte === SO ? KANA() : null;
      continue;
    }
    ESCAPE.lastIndex = at + 1;
    const escape = byte === ESC ? ESCAPE.exec(text) : null;
    if (escape) {
      const [all, next, single, character] = escape;
      if (next !== undefined) set = SETS.get(next)?.() ?? null;
      else if (single !== undefined) singles = single === 'F' ? GREEK : LATIN;
      else units[written++] = unitOf(singles(), character?.charCodeAt(0) ?? 0);
      at += all.length;
      continue;
    }
    if (set === null || byte <= SPACE) {
      units[written++] = byte;
    } else if (set.width === 1) {
      units[written++] = unitOf(set, byte);
    } else {
      const second = bytes[at + 1] ?? SO;
      // A shift, or the end, comes too early.
      const isWhole = second !== SO && second !== SI && second !== ESC;
      units[written++] = isWhole ? unitOf(set, byte, second) : REPLACEMENT;
      if (isWhole) at += 1;
    }
  }
  return Buffer.from(units.buffer, 0, 2 * written).toString('utf16le');
}

function unitOf({ units }: CharacterSet, first: number, second?: number): number {
  const row = (first & ~HIGH_BIT) - FIRST;
  if (second === undefined) return units[row] ?? REPLACEMENT;
  const cell = (second & ~HIGH_BIT) - FIRST;
  return cell < 0 || cell >= ROW ? REPLACEMENT : (units[row * ROW + cell] ?? REPLACEMENT);
}
