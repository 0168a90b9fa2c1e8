/** Masks the parts of a link that differ from one mail to the next. */
import { looksLikeShortId, looksRandom } from './random-words.ts';

const PARTS = /^(https?:\/\/)([^/?#]*)(\/[^?#]*)?(\?[^#]*)?(#.*)?$/i;

/**
 * A link with placeholders for its port, the values of its query, and the random parts of its path.
 * @param addresses patterns of the recipients.
 */
export function maskedUrl(found: string, addresses: readonly string[]): string {
  const url = withoutPunctuation(found);
  const [, scheme = '', host = '', path = '', query = '', fragment = ''] = PARTS.exec(url) ?? [];
  const of = addresses.length === 0 ? null : new RegExp(`^(?:${addresses.join('|')})$`, 'i');
  const segment = (text: string) => {
    if (of?.test(text.replace(/%40/g, '@'))) return '<recipient>';
    return /^\d{4,}$/.test(text) || looksRandom(text) ? '<random>' : text;
  };
  return [
    scheme,
    // A service of a test has any port.
    host.replace(/:\d+$/, ':<port>'),
    maskedPath(path, segment),
    values(query, segment),
    values(fragment, segment),
    found.slice(url.length),
  ].join('');
}

/** A pattern for the marks at the end of a text takes quadratic time. */
function withoutPunctuation(text: string): string {
  let end = text.length;
  while (end > 0 && '.,;:!?'.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

/** A short part beside a random one is often the id of what that one is for. */
function maskedPath(path: string, segment: (text: string) => string): string {
  const parts = path.split('/');
  const masked = parts.map(segment);
  const isRandom = (at: number) => masked[at] === '<random>';
  return parts
    .map((part, at) =>
      (isRandom(at - 1) || isRandom(at + 1)) && looksLikeShortId(part) ? '<random>' : masked[at],
    )
    .join('/');
}

/** The part of a link after `?` or `#`. */
function values(part: string, segment: (text: string) => string): string {
  if (!part.includes('=')) return part.slice(0, 1) + maskedPath(part.slice(1), segment);
  return part.replace(/=[^&]+/g, '=<value>');
}
