/** Header fields as the parser passes them on: without folding, one character per byte. */
import type { HeaderLines } from 'mailparser';
import { withoutBlanks } from '../blanks.ts';

/** The first field of each of these names, without its name, in UTF-8. */
export function fieldValues(
  lines: HeaderLines,
  names: ReadonlySet<string>,
): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  for (const { key, line } of lines) {
    if (!names.has(key) || values.has(key)) continue;
    const value = withoutBlanks(line.slice(line.indexOf(':') + 1));
    values.set(key, /[\x80-\xff]/.test(value) ? Buffer.from(value, 'latin1').toString() : value);
  }
  return values;
}
