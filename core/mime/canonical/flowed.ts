/**
 * Joins the lines of format=flowed text (RFC 3676 section 4). A line that ends in a space continues
 * in the next line of the same quote depth; `-- ` before a signature does not (section 4.3).
 */

const SIGNATURE = '-- ';

/** @param deletesSpace whether the space that marks a flowed line is removed (DelSp=yes). */
export function unflow(text: string, deletesSpace: boolean): string {
  let result = '';
  /** The quote depth of the paragraph that the next line can continue. */
  let open: number | null = null;
  for (let at = 0; at <= text.length;) {
    const lf = text.indexOf('\n', at);
    const next = lf < 0 ? text.length : lf;
    const end = next > at && text[next - 1] === '\r' ? next - 1 : next;
    let quoted = at;
    while (quoted < end && text[quoted] === '>') quoted += 1;
    const depth = quoted - at;
    const start = quoted < end && text[quoted] === ' ' ? quoted + 1 : quoted; // space-stuffing
    const isSignature = end - start === SIGNATURE.length && text.startsWith(SIGNATURE, start);
    const isFlowed = end > start && text[end - 1] === ' ' && !isSignature;
    // A paragraph ends before a line of another depth, before a signature and before an empty line.
    if (open !== null && (open !== depth || isSignature || start === end)) {
      result += '\n';
      open = null;
    }
    const from = open !== null || depth === 0 ? start : at;
    result += text.slice(from, isFlowed && deletesSpace ? end - 1 : end);
    open = isFlowed ? depth : null;
    if (!isFlowed && lf >= 0) result += '\n';
    at = next + 1;
  }
  return result;
}
