import type { Extracted, LinkKind } from '../types.ts';

/** The least confidence of a main link, as for `link` of the service. */
const CONFIDENCE = 0.7;
const MAIN_KINDS: LinkKind[] = ['verify', 'signIn', 'reset', 'invite'];

/**
 * The link of a kind, or the main link; null if there is none. A link of a main kind must be
 * certain.
 */
export function linkOf(extracted?: Extracted, kind?: LinkKind): string | null {
  if (!extracted || kind === undefined) return extracted?.link ?? null;
  const ofKind = extracted.links.filter((one) => one.kind === kind);
  const best = ofKind.find(({ url }) => url === extracted.link) ?? ofKind[0];
  if (!best || (MAIN_KINDS.includes(kind) && best.confidence < CONFIDENCE)) return null;
  return best.url;
}
