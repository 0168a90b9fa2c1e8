import type { Readable, Writable } from 'node:stream';

/** Standard input and output. */
export interface Streams {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: Writable & { readonly isTTY?: boolean };
  readonly stderr: Writable;
}

type Style = 'dim' | 'bold' | 'green' | 'red';
const STYLES: Record<Style, [number, number]> = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
};

/** Where a command prints. Colors appear only on a terminal, and not with NO_COLOR. */
export interface Terminal {
  readonly streams: Streams;
  /**
   * Prints lines for people, or with --json the value as one line of JSON. Senders' text is
   * `printable`.
   */
  readonly show: (value: unknown, lines: string) => void;
  /** Prints a line for each item for people, or with --json the items as one line of JSON. */
  readonly list: (items: readonly unknown[], lines: readonly string[]) => void;
  /** Prints a line to standard error. */
  readonly note: (line: string) => void;
  readonly style: (style: Style, text: string) => string;
  readonly isJson: boolean;
}

export function openTerminal(
  streams: Streams,
  { isJson, env }: { isJson: boolean; env: NodeJS.ProcessEnv },
): Terminal {
  const { stdout: out, stderr: err } = streams;
  const isColored = out.isTTY === true && !env['NO_COLOR'] && env['TERM'] !== 'dumb';
  return {
    streams,
    isJson,
    show: (value, lines) => void out.write(`${isJson ? JSON.stringify(value) : lines}\n`),
    list: (items, lines) => {
      const printed = isJson ? [JSON.stringify(items)] : lines;
      for (const line of printed) out.write(`${line}\n`);
    },
    note: (line) => void err.write(`${printable(line)}\n`),
    style: (style, text) => {
      const [on, off] = STYLES[style];
      return isColored ? `${ESCAPE}[${on}m${text}${ESCAPE}[${off}m` : text;
    },
  };
}

const ESCAPE = '\u001b';

/**
 * A sender's text without the control characters that a terminal obeys, and without those that turn
 * the direction of text (Unicode Standard Annex 9, section 2). Line breaks and tabs stay.
 */
export function printable(text: string): string {
  return text.replace(/(?![\n\t])\p{Cc}|[\u202a-\u202e\u2066-\u2069]/gu, '');
}
