/**
 * File names of attachments for which the mail gives none: the subject of an enclosed mail,
 * `invite.ics`, `image-1.png`.
 */
import { fileName } from '../../text/file-name.ts';
import { isEnclosedMail } from '../canonical/content-fields.ts';

/** Names by media type. Those that end in a hyphen are numbered from 1. */
const NAMES = new Map([
  ['application/ics', 'invite.ics'],
  ['text/calendar', 'invite.ics'],
  ['text/vcard', 'contact.vcf'],
  ['text/x-vcard', 'contact.vcf'],
  ['application/pgp-signature', 'signature.asc'],
  ['application/pgp-keys', 'key.asc'],
  ['application/pkcs7-signature', 'smime.p7s'],
  ['application/x-pkcs7-signature', 'smime.p7s'],
  ['application/pkcs7-mime', 'smime.p7m'],
  ['application/x-pkcs7-mime', 'smime.p7m'],
  ['message/delivery-status', 'delivery-status.txt'],
  ['message/global-delivery-status', 'delivery-status.txt'],
  ['message/disposition-notification', 'receipt.txt'],
  ['message/global-disposition-notification', 'receipt.txt'],
  ['message/feedback-report', 'feedback-report.txt'],
  ['text/rfc822-headers', 'headers.txt'],
  ['message/global-headers', 'headers.txt'],
]);

/** Extensions of types whose subtype is none. */
const EXTENSIONS = new Map([
  ['image/jpeg', 'jpg'],
  ['image/svg+xml', 'svg'],
  ['image/x-icon', 'ico'],
  ['image/vnd.microsoft.icon', 'ico'],
  ['image/tiff', 'tif'],
  ['audio/mpeg', 'mp3'],
  ['audio/x-wav', 'wav'],
  ['video/quicktime', 'mov'],
  ['text/plain', 'txt'],
  ['text/markdown', 'md'],
  ['application/gzip', 'gz'],
  ['application/msword', 'doc'],
  ['application/vnd.ms-excel', 'xls'],
  ['application/vnd.ms-powerpoint', 'ppt'],
  ['application/vnd.openxmlformats-officedocument.wordprocessingml.document', 'docx'],
  ['application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', 'xlsx'],
  ['application/vnd.openxmlformats-officedocument.presentationml.presentation', 'pptx'],
]);
/** Media types whose subtype is the usual extension. */
const PLAIN =
  /^(?:(?:image|audio|video)\/([a-z0-9]{2,4})|text\/(html|csv|xml|css)|application\/(pdf|zip|json|xml|rtf))$/;

/** Subjects of more enclosed mails are not read. */
const MAX_SUBJECTS = 20;

interface Part {
  filename: string | undefined;
  contentType: string;
  content: Buffer;
}

/**
 * The names of the parts, in order; undefined for a part whose type has no usual extension.
 * @param subjectOf reads the subject of an enclosed mail
 */
export async function attachmentNames(
  parts: Part[],
  subjectOf: (raw: Buffer) => Promise<string>,
): Promise<(string | undefined)[]> {
  const used = new Map<string, number>();
  const names: (string | undefined)[] = [];
  let subjects = 0;
  for (const { filename, contentType: given, content } of parts) {
    const [contentType = ''] = given.split(';', 1);
    if (filename !== undefined && filename !== '') {
      names.push(filename);
    } else if (isEnclosedMail(contentType)) {
      subjects += 1;
      const subject = subjects > MAX_SUBJECTS ? '' : await subjectOf(content);
      names.push(`${fileName(subject) || numbered('message', used)}.eml`);
    } else {
      names.push(nameOfType(contentType, used));
    }
  }
  return names;
}

function nameOfType(contentType: string, used: Map<string, number>): string | undefined {
  const whole = NAMES.get(contentType);
  if (whole !== undefined) return whole;
  const [, media, text, application] = PLAIN.exec(contentType) ?? [];
  const extension = EXTENSIONS.get(contentType) ?? media ?? text ?? application;
  if (extension === undefined) return undefined;
  const [kind = ''] = contentType.split('/', 1);
  const base = kind === 'application' ? 'document' : kind;
  return `${numbered(base, used)}.${extension}`;
}

function numbered(base: string, used: Map<string, number>): string {
  const number = (used.get(base) ?? 0) + 1;
  used.set(base, number);
  return `${base}-${number}`;
}
