/** What a part tells about an attachment beside its type, name and content. */
import { hash } from 'node:crypto';
import type { AttachmentFacts } from '../../../db/schema/mail-facts.ts';
import { fit } from './fit.ts';

/** A part whose fields are decoded. */
interface Part extends Pick<AttachmentFacts, 'disposition' | 'charset' | 'method' | 'description'> {
  content: Buffer;
}

/** A `cid:` URL (RFC 2392) in HTML. */
const CID_URL = /\bcid:([^"'\s()<>\\]+)/gi;

/** @param isShown whether the HTML refers to the part */
export function readAttachmentFacts(part: Part, isShown: boolean): AttachmentFacts {
  const { disposition, charset, method, description, content } = part;
  return {
    disposition: fit(disposition ?? '') || null,
    isInline: isShown || disposition === 'inline',
    sha256: hash('sha256', content),
    charset: fit(charset ?? '') || null,
    method: fit(method?.toUpperCase() ?? '') || null,
    description: fit(description ?? '') || null,
  };
}

/** The Content-IDs that HTML refers to. */
export function contentIdsIn(html: string): Set<string> {
  return new Set(Array.from(html.matchAll(CID_URL), ([, id = '']) => plainId(id)));
}

/** The content id in a `cid:` URL, with percent-encoding and HTML ampersands decoded. */
function plainId(name: string): string {
  const plain = name.replaceAll('&amp;', '&');
  try {
    return decodeURIComponent(plain);
  } catch {
    return plain;
  }
}
