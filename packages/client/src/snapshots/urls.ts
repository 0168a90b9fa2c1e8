/** Masks the parts of a link that differ from one mail to the next. */

const PARTS = /^(https?:\/\/)([^/?#]*)([^?#]*)(\?[^#]*)?(#.*)?$/i;
const LEAST_RANDOM = 8;
/** So often a random word changes between capitals, small letters and digits. */
const LEAST_CHANGES = 4;

/**
 * A link with placeholders for its port, the values of its query, and the random parts of its path.
 * @param addresses patterns of the recipients.
 */
export function maskedUrl(found: string, addresses: readonly string[]): string {
  const [url] = /^.*?(?=[.,;:!?]*$)/s.exec(found) ?? [found];
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
    path.split('/').map(segment).join('/'),
    values(query, segment),
    values(fragment, segment),
    found.slice(url.length),
  ].join('');
}

/** Whether a word is an id or a token: nobody has written it. */
export function looksRandom(word: string): boolean {
  if (/^(?:[\da-f]{16,}|[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})$/i.test(word)) return true;
  if (word.length < LEAST_RANDOM || !/^[\w~.%-]+$/.test(word)) return false;
  const runs = word.replace(/[^A-Za-z\d]/g, '').match(/\d+|[a-z]+|[A-Z]+/g) ?? [];
  return runs.length > LEAST_CHANGES;
}

/** The part of a link after `?` or `#`. */
function values(part: string, segment: (text: string) => string): string {
  if (!part.includes('='))
    return part.slice(0, 1) + part.slice(1).split('/').map(segment).join('/');
  return part.replace(/=[^&]+/g, '=<value>');
}
