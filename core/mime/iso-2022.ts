/**
 * Decodes the sets of ISO 2022 with escapes: ISO-2022-JP (RFC 1468), with JIS X 0212 (RFC 2237),
 * with Chinese, Korean and Latin-1 (RFC 1554), and with kana between SO and SI (cp50222). Each
 * stretch is decoded by the EUC of its set, which has the same characters with the high bit.
 */
import { TextDecoder } from 'node:util';

interface Stretch {
  charset: string;
  /** What precedes each character of this many bytes in its EUC. */
  prefix: string;
  width: number;
}

const JAPANESE: Stretch = { charset: 'euc-jp', prefix: '', width: 2 };
const KANA: Stretch = { charset: 'euc-jp', prefix: '\x8e', width: 1 };
const STRETCHES: Readonly<Record<string, Stretch>> = {
  '\x1b$@': JAPANESE,
  '\x1b$B': JAPANESE,
  '\x1b$(D': { charset: 'euc-jp', prefix: '\x8f', width: 2 },
  '\x1b(I': KANA,
  '\x0e': KANA,
  '\x1b$A': { charset: 'gbk', prefix: '', width: 2 },
  '\x1b$(C': { charset: 'euc-kr', prefix: '', width: 2 },
};
const ESC = '\x1b';
const SHIFTS = '\x0e\x0f';
/** Escapes that `TextDecoder` does not know. */
const FURTHER = new RegExp(`${ESC}\\$(?:\\(D|A|\\(C)|${ESC}\\.|[${SHIFTS}]`);
const ESCAPE = new RegExp(`(${ESC}(?:\\$\\([A-Z]|\\$[@AB]|\\([A-Z]|\\.[A-Z])|[${SHIFTS}])`);
/** A character of the set that `ESC .` names: Latin-1 or Greek. */
const SINGLE = new RegExp(`${ESC}N([ -~])`);

/** The text; invalid characters become U+FFFD. */
export function decodeIso2022Jp(bytes: Buffer): string {
  const text = bytes.toString('latin1');
  if (FURTHER.test(text) && !text.includes('\x1b$)')) return decodeStretches(text);
  // Adjacent words end and begin with an escape, and `TextDecoder` reports an escape without a
  // character after it as an error.
  const joined = text.replaceAll('\x1b(B\x1b$', '\x1b$');
  return new TextDecoder('iso-2022-jp').decode(Buffer.from(joined, 'latin1'));
}

function decodeStretches(text: string): string {
  let result = '';
  let stretch: Stretch | undefined;
  let singles = 'iso-8859-1';
  for (const [n, piece] of text.split(ESCAPE).entries()) {
    if (n % 2 === 0) {
      const shown = piece.split(SINGLE);
      result += shown
        .map((each, at) => (at % 2 === 0 ? decodeStretch(each, stretch) : high(each, singles)))
        .join('');
    } else if (piece.startsWith('\x1b.')) {
      singles = piece.endsWith('F') ? 'iso-8859-7' : 'iso-8859-1';
    } else {
      stretch = STRETCHES[piece];
    }
  }
  return result;
}

function decodeStretch(text: string, stretch: Stretch | undefined): string {
  if (stretch === undefined) return text;
  let euc = '';
  for (let at = 0; at < text.length; at += 1) {
    const isCharacter = text.charCodeAt(at) > 0x20;
    const character = text.slice(at, at + (isCharacter ? stretch.width : 1));
    euc += isCharacter ? stretch.prefix + withHighBits(character) : character;
    at += character.length - 1;
  }
  return new TextDecoder(stretch.charset).decode(Buffer.from(euc, 'latin1'));
}

function high(text: string, charset: string): string {
  return new TextDecoder(charset).decode(Buffer.from(withHighBits(text), 'latin1'));
}

function withHighBits(text: string): string {
  return Buffer.from(text, 'latin1')
    .map((byte) => byte | 0x80)
    .reduce((all, byte) => all + String.fromCharCode(byte), '');
}
