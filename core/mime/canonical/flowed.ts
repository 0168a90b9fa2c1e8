/**
 * Joins the lines of format=flowed text (RFC 3676 section 4). A line that ends in a space continues
 * in the next line of the same quote depth; `-- ` before a signature does not (section 4.3).
 */

const LINE = /^(>*)( ?)(.*)$/s;
const SIGNATURE = '-- ';

interface Paragraph {
  quotes: string;
  text: string;
}

/** @param deletesSpace whether the space that marks a flowed line is removed (DelSp=yes). */
export function unflow(text: string, deletesSpace: boolean): string {
  let result = '';
  let open: Paragraph | null = null;
  for (let at = 0; at <= text.length;) {
    const lf = text.indexOf('\n', at);
    const end = lf < 0 ? text.length : lf;
    const line = text.slice(at, text.charAt(end - 1) === '\r' && end > at ? end - 1 : end);
    const [, quotes = '', stuffing = '', content = ''] = LINE.exec(line) ?? [];
    const isFlowed = content.endsWith(' ') && content !== SIGNATURE;
    // A paragraph ends before a line of another depth, before a signature and before an empty line.
    if (open && (open.quotes !== quotes || content === SIGNATURE || content === '')) {
      result += `${open.text}\n`;
      open = null;
    }
    const start: string = open ? open.text : quotes + (quotes === '' ? '' : stuffing);
    open = { quotes, text: start + (isFlowed && deletesSpace ? content.slice(0, -1) : content) };
    if (!isFlowed) {
      result += lf < 0 ? open.text : `${open.text}\n`;
      open = null;
    }
    at = lf < 0 ? text.length + 1 : lf + 1;
  }
  return open ? result + open.text : result;
}
