/** What predicates look at: one message, with the parts that their conditions need. */
import type { Person } from '../../db/schema/mail-facts.ts';
import type { MessageSummary } from '../../db/statements/messages.ts';
import type { ExtractedFacts } from '../messages/extractions.ts';
import type { HeaderField } from '../messages/read-header.ts';
import { FoldedText } from '../text/folded-text.ts';
import type { Body } from './body.ts';

/** The address fields of a message; `to` is any recipient. */
export type AddressField = 'from' | 'to' | 'cc' | 'replyTo';

/** What a reader sees beside the bodies. */
interface ShownDetails {
  people: { to: Person[]; cc: Person[]; bcc: Person[] };
  /** A file that the body does not show, and one that it shows. */
  hasFile: boolean;
  hasInline: boolean;
}

/** A message, with the parts that were loaded. */
export interface Document extends MessageSummary {
  /** The start of the subject, in which criteria look for a part. */
  subjectStart: FoldedText;
  /** In the form in which addresses are compared. */
  addresses?: Readonly<Record<AddressField, readonly string[]>>;
  details?: ShownDetails;
  filenames?: readonly string[];
  hasHtml?: boolean;
  body?: Body;
  header?: readonly HeaderField[];
  facts?: ExtractedFacts;
}

/** Characters of a subject that criteria see. */
const MAX_SUBJECT = 2000;

/** In memory of its own: a slice keeps the whole text. */
export function startOfSubject({ mail: { subject } }: MessageSummary): string {
  return subject.length > MAX_SUBJECT
    ? Buffer.from(subject.slice(0, MAX_SUBJECT)).toString()
    : subject;
}

export function documentOf({ message, mail }: MessageSummary): Document {
  const { id, fromAddress, fromName, to, cc, subject, messageIdHeader, size } = mail;
  const { attachmentCount, parseError } = mail;
  const summary = {
    message,
    // Without the bodies, which a row can have.
    mail: {
      ...{ id, fromAddress, fromName, to, cc, subject, messageIdHeader, size },
      ...{ attachmentCount, parseError },
    },
  };
  return { ...summary, subjectStart: new FoldedText(startOfSubject(summary)) };
}

/** The recipients of the envelope. */
export function envelopeOf({ message: { envelopeTo, recipient } }: MessageSummary): string[] {
  return envelopeTo ?? [recipient];
}

/** Envelope recipients, To and Cc. */
export function recipientsOf(document: MessageSummary): string[] {
  const { to, cc } = document.mail;
  return [...new Set([...envelopeOf(document), ...to, ...cc])];
}

/** An estimate of the memory that a document takes. */
export function bytesOf(document: Document): number {
  const { message, mail, addresses, header, filenames, details, body } = document;
  const { facts, preview } = message;
  let bytes = 1000 + 4 * mail.subject.length + 2 * ((preview?.length ?? 0) + (body?.units ?? 0));
  const lists = [mail.to, mail.cc, message.envelopeTo, facts?.tags, filenames];
  for (const list of [...lists, ...Object.values(addresses ?? {})]) bytes += lengthsOf(list ?? []);
  for (const people of [facts?.replyTo ?? [], ...Object.values(details?.people ?? {})]) {
    for (const { address, name } of people) bytes += 96 + address.length + (name?.length ?? 0);
  }
  for (const { name, value } of header ?? []) bytes += 96 + name.length + value.length;
  return bytes;
}

function lengthsOf(texts: readonly string[]): number {
  return texts.reduce((sum, { length }) => sum + 64 + length, 0);
}
