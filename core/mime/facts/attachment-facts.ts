/** What a part tells about an attachment beside its type, name and content. */
import { hash } from 'node:crypto';
import { fit } from './fit.ts';

export interface AttachmentFacts {
  /** Value of Content-Disposition (RFC 2183), in lower case. */
  disposition: string | null;
  /** Shown in the body: its disposition is `inline`, or the HTML refers to its Content-ID. */
  isInline: boolean;
  /** Of the content, hexadecimal. */
  sha256: string;
  /** Parameter `charset` of Content-Type. */
  charset: string | null;
  /** Parameter `method` of a calendar (RFC 5546 section 1.4), in upper case. */
  method: string | null;
  /** Content-Description (RFC 2045 section 8). */
  description: string | null;
}

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

/** A parameter of a field (RFC 2045 section 5.1), in its simple form. */
export function parameter(value: string, name: string): string {
  const found = new RegExp(`;\\s*${name}\\s*=\\s*(?:"([^"]*)"|([^\\s;]*))`, 'i').exec(value);
  return (found?.[1] ?? found?.[2] ?? '').trim();
}
