/** Parts that the HTML of a mail shows: by Content-ID (RFC 2392) or Content-Location (RFC 2557). */
import { MAX_BASE, baseUrlOf } from '../text/base-url.ts';
import { decoded, namesIn, partName, pictureUrlsIn } from './picture-urls.ts';

export interface NamedPart {
  contentId: string | null;
  location: string | null;
  /** The base of relative locations: that of the multiparts that the part is in. */
  base: string;
}

/** RFC 2557 section 5 (c): the base where a mail names none. */
export const NO_BASE = 'thismessage:/';
/** URLs of a part that are kept. */
const MAX_KEPT = 10;
/** URLs that can name a location: resolving one takes up to 30 us. Others are Content-IDs only. */
const MAX_RESOLVED = 500;

/**
 * For each part the URLs of the HTML that refer to it, in order.
 * @param location the base of the HTML if it has no `base` element.
 */
export function urlsOfParts(html: string, location: string, parts: NamedPart[]): string[][] {
  if (html === '' || parts.every((part) => part.contentId === null && part.location === null)) {
    return parts.map(() => []);
  }
  const urls = new Map<string, string[]>();
  const add = (key: string, url: string) => {
    const same = urls.get(key);
    if (same === undefined) urls.set(key, [url]);
    else if (same.length < MAX_KEPT && !same.includes(url)) same.push(url);
  };
  const isLocated = parts.some((part) => part.location !== null);
  const base = isLocated ? (baseUrlOf(html)?.href ?? location) : NO_BASE;
  let resolved = 0;
  for (const url of pictureUrlsIn(html)) {
    for (const name of namesIn(url)) add(name, url);
    if (!isLocated || resolved === MAX_RESOLVED || /^(?:cid|data):/i.test(url)) continue;
    resolved += 1;
    add(absolute(url, base), url);
  }
  return parts.map((part) => {
    const keys = [
      ...(part.contentId === null ? [] : [partName(part.contentId)]),
      ...(part.location === null ? [] : [part.location, absolute(part.location, part.base)]),
    ];
    return [...new Set(keys.flatMap((key) => urls.get(key) ?? []))].slice(0, MAX_KEPT);
  });
}

/**
 * The URL that one location is, seen from another; the first one if it is malformed, or one of them
 * is longer than a base can be.
 */
export function absolute(url: string, base: string): string {
  if (url.length > MAX_BASE || base.length > MAX_BASE) return url;
  return decoded(URL.parse(url, base)?.href ?? url);
}
