/** What a part tells about an attachment beside its type, name and content. */
import { hash } from 'node:crypto';
import type { AttachmentFacts } from '../../../db/schema/mail-facts.ts';
import { fit } from './fit.ts';

/** A part whose fields are decoded. */
interface Part extends Pick<AttachmentFacts, 'disposition' | 'charset' | 'method' | 'description'> {
  content: Buffer;
}

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
