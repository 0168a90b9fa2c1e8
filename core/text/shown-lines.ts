/** A long text in portions, as an answer with a bounded number of characters shows it. */

/** Characters of a portion, after which it ends with its line. */
export const PORTION = 4000;

/** Whitespace that is shown before the first visible character of a line. */
const MAX_INDENT = 1000;

export interface Portion {
  /** Lines with visible characters, and where they begin. A long line is cut. */
  lines: { at: number; line: string }[];
  /** Where the text goes on; null at its end. */
  next: number | null;
}

/** The lines from an offset on, in time linear in their length. */
export function portionOf(text: string, offset: number): Portion {
  const lines: Portion['lines'] = [];
  const visible = /\S/g;
  let at = offset;
  for (let length = 0; length <= PORTION;) {
    visible.lastIndex = at;
    const found = visible.exec(text);
    if (!found) return { lines, next: null };
    at = Math.max(startOfLine(text, at, found.index), found.index - MAX_INDENT);
    const line = lineAt(text, at);
    lines.push({ at, line });
    at += line.length;
    length += line.length;
  }
  return { lines, next: at };
}

/** After the last line end in the whitespace before a visible character. */
function startOfLine(text: string, from: number, visible: number): number {
  for (let at = visible; at > from; at -= 1) {
    const before = text[at - 1];
    if (before === '\n' || before === '\r') return at;
  }
  return from;
}

function lineAt(text: string, at: number): string {
  const [line = ''] = /^[^\r\n]*/.exec(text.slice(at, at + PORTION + 1)) ?? [];
  return line;
}
