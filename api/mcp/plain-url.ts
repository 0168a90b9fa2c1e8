const LONGEST = 2048;
/**
 * Characters that WHATWG URLs leave as they are, and that Markdown or a shell can give a meaning.
 */
const ACTIVE = /[[\](){}<>|\\^`'"!*]/g;

/**
 * The URL in ASCII without characters that Markdown gives a meaning: those are percent-encoded,
 * which servers decode. Null if it is not HTTP, has a user name, or has more than 2,048 characters.
 */
export function plainUrl(text: string): string | null {
  if (!URL.canParse(text)) return null;
  const url = new URL(text);
  if (!/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') return null;
  const { hash, search, pathname, origin } = url;
  const rest = `${pathname}${search}${hash}`.replace(
    ACTIVE,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  const plain = `${origin}${rest}`;
  return plain.length <= LONGEST ? plain : null;
}
