/** The base of relative links in the HTML of a mail (HTML standard section 4.2.3). */
import { HtmlWalk } from './walk-html.ts';

/** Characters in which the element is looked for. */
const MAX_LENGTH = 256 * 1024;
const BASE = /<base[\s/]/i;
const HTTP = /^https?:$/;
/** Characters. Each relative URL is resolved against the base, in time by the length of both. */
export const MAX_BASE = 2048;

/**
 * The base that the `href` of a `base` element sets; null unless it is an absolute HTTP URL of up
 * to {@link MAX_BASE} characters.
 */
export function readBase(href: string): URL | null {
  const text = href.trim();
  const url = text.length > MAX_BASE ? null : URL.parse(text);
  return url && HTTP.test(url.protocol) ? url : null;
}

/** The URL of the first `base` element with `href` at the beginning of the HTML. */
export function baseUrlOf(html: string): URL | null {
  if (!BASE.test(html.slice(0, MAX_LENGTH))) return null;
  let base: string | undefined;
  const sink = {
    text: () => undefined,
    lineEnd: () => undefined,
    opened: (name: string, { href }: Record<string, string>) => {
      if (name === 'base') base ??= href;
    },
    isDone: () => base !== undefined,
  };
  const walk = new HtmlWalk(html, sink, MAX_LENGTH);
  while (walk.next());
  return base === undefined ? null : readBase(base);
}
