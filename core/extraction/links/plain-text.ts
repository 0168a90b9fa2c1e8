/**
 * URLs in plain text. linkify-it decides where one ends. It begins at `http://` or `https://`, also
 * behind a word of a script without blanks, an arrow or `=`, and may have user information and a
 * host name with underscores, as in an `href`.
 */
import { LinkifyIt } from 'linkify-it';
import { NO_SPACES } from '../normalize.ts';

/** Longer lines are searched in parts. */
const MAX_LINE = 8192;
const SCHEME = /https?:(?=\/\/)/gi;
/** Another scheme or a word goes on: `git+https://`. */
const CONTINUES = /[A-Za-z0-9+]/;
const AUTHORITY = /:\/\/[^\s/?#<>"']{1,300}/g;
const UNDERSCORES = /(?<=[A-Za-z0-9])_+(?=[A-Za-z0-9])/g;
const EMPHASIS = /[_*~|]{1,3}$/;
const linkify = new LinkifyIt({
  ...{ fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false, urlAuth: true },
});

/**
 * @param most URLs of the line
 * @returns each URL as the line has it, in time linear in its length
 */
export function urlsIn(line: string, most: number): string[] {
  const urls: string[] = [];
  for (let at = 0; at < line.length && urls.length < most; at += MAX_LINE) {
    const part = line.slice(at, at + MAX_LINE);
    if (!part.includes('://')) continue;
    for (const url of urlsOfPart(part)) urls.push(url);
  }
  return urls.slice(0, most);
}

function urlsOfPart(part: string): string[] {
  const urls: string[] = [];
  const shape = part.replace(AUTHORITY, (authority) =>
    authority
      .replace(UNDERSCORES, (underscores) => 'a'.repeat(underscores.length))
      .replace(EMPHASIS, (marks) => ' '.repeat(marks.length)),
  );
  let from = 0;
  for (const { 0: scheme, index } of shape.matchAll(SCHEME)) {
    if (index < from || CONTINUES.test(shape[index - 1] ?? '')) continue;
    const start = index + scheme.length;
    const length = linkify.testSchemaAt(shape, 'http:', start);
    if (length === 0) continue;
    const end = start + length;
    from = end;
    const url = withoutEmphasis(part.slice(index, end), part.slice(Math.max(0, index - 3), index));
    urls.push(withoutText(url, part[index - 1] ?? ''));
  }
  return urls;
}

/** `_https://shop.example/v?t=1_` and the like, with the same marks in front. */
function withoutEmphasis(url: string, before: string): string {
  const [marks = ''] = EMPHASIS.exec(before) ?? [];
  return marks !== '' && url.endsWith(marks) ? url.slice(0, -marks.length) : url;
}

/**
 * A script without blanks goes on behind a URL: `https://shop.example/v?t=1を開く`. In a path such
 * letters can belong to the URL, unless they stand in front of it too.
 */
function withoutText(url: string, before: string): string {
  const from = NO_SPACES.test(before) ? url.indexOf('/', url.indexOf('://') + 3) : queryOf(url);
  if (from < 0) return url;
  const text = url.slice(from).search(NO_SPACES);
  return text < 0 ? url : url.slice(0, from + text);
}

function queryOf(url: string): number {
  return url.search(/[?#]/);
}
