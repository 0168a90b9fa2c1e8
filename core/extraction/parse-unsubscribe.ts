/** The List-Unsubscribe header (RFC 2369 section 3.2) and the request for one-click (RFC 8058). */
import type { Link, Unsubscribe, UnsubscribeProblem } from './types.ts';

const MAX_FIELD = 8192;
const MAX_URIS = 20;
const URI = /<([^<>]*)>/g;
const REST = /^[\s,]*$/;
const COMMENT = /\([^()<>]{0,500}\)/g;
/** RFC 8058 section 3.1. */
const ONE_CLICK = /^\s*List-Unsubscribe=One-Click\s*$/i;

export function parseUnsubscribe(
  { listUnsubscribe, listUnsubscribePost }: Fields,
  links: Link[],
): Unsubscribe {
  const field = (listUnsubscribe ?? '').slice(0, MAX_FIELD).replace(COMMENT, '');
  const uris = Array.from(field.matchAll(URI), ([, uri = '']) => uri.replace(/\s/g, ''));
  const header = uris
    .filter((uri) => /^https?:/i.test(uri) && URL.canParse(uri))
    .slice(0, MAX_URIS);
  const mailto = uris.filter((uri) => /^mailto:.+@/i.test(uri)).slice(0, MAX_URIS);
  const oneClick = listUnsubscribePost !== null && ONE_CLICK.test(listUnsubscribePost);
  const problems: UnsubscribeProblem[] = [];
  if (oneClick && !header.some((uri) => /^https:/i.test(uri)))
    problems.push('one_click_without_https');
  if (isBadlyFormed()) problems.push('bad_syntax');
  const body = links.filter(({ kind }) => kind === 'unsubscribe').map(({ url }) => url);
  return { header, mailto, oneClick, body, problems };

  function isBadlyFormed(): boolean {
    if (listUnsubscribePost !== null && !oneClick) return true;
    if (listUnsubscribe === null) return false;
    const understood = uris.every((uri) => URL.canParse(uri));
    return uris.length === 0 || !understood || !REST.test(field.replace(URI, ''));
  }
}

interface Fields {
  listUnsubscribe: string | null;
  listUnsubscribePost: string | null;
}
