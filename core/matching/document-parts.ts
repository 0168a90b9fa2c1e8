/** Loads the parts of documents. Each is loaded once and added to the document. */
import { attachmentsOf } from '../../db/statements/attachments.ts';
import { mailDetails } from '../../db/statements/mails.ts';
import type { MessageAndMail } from '../../db/statements/messages.ts';
import { comparableAddress } from '../addresses.ts';
import type { Context } from '../context.ts';
import type { Extractions } from '../messages/extractions.ts';
import { attachmentName } from '../messages/files.ts';
import { storedHeaders } from '../messages/headers.ts';
import { type Sought, readBody } from './body.ts';
import { shownPeople } from '../messages/views/shown-people.ts';
import { type Document, recipientsOf } from './document.ts';
import type { Part } from './predicate.ts';

export type LoadingParts = Pick<Context, 'store' | 'blobs' | 'log' | 'ingest'>;

/** Header bytes that conditions see. */
const MAX_HEADER_BYTES = 64 * 1024;

type Parts = ReadonlySet<Part>;

const loaded: Partial<Record<Part, (document: Document) => boolean>> = {
  addresses: ({ addresses }) => addresses !== undefined,
  details: ({ details }) => details !== undefined,
  filename: ({ filenames }) => filenames !== undefined,
  html: ({ hasHtml }) => hasHtml !== undefined,
  text: ({ body }) => body !== undefined,
  links: ({ body }) => body?.hasLinks ?? false,
  header: ({ header }) => header !== undefined,
  extraction: ({ facts }) => facts !== undefined,
};

/** Whether a part is missing. */
export function lacks(document: Document, parts: Parts): boolean {
  for (const part of parts) if (loaded[part]?.(document) === false) return true;
  return false;
}

/** The document without the parts that can be long. */
export function withoutLong({ body: _body, header: _header, ...rest }: Document): Document {
  return rest;
}

/**
 * Adds what the summary tells, and what one statement reads for all.
 * @param pause called between addresses: one with a name in Unicode takes 0.1 ms
 */
export async function addShort(
  { store }: Pick<Context, 'store'>,
  documents: Document[],
  parts: Parts,
  pause: () => Promise<void>,
): Promise<void> {
  if (parts.has('addresses')) {
    for (const document of documents) document.addresses ??= await addressesOf(document, pause);
  }
  if (parts.has('filename')) {
    const carrying = documents.flatMap(({ mail }) => (mail.attachmentCount > 0 ? mail.id : []));
    const found =
      carrying.length === 0 ? [] : await store.query(attachmentsOf, [...new Set(carrying)]);
    const byMail = Map.groupBy(found, ({ mailId }) => mailId);
    for (const document of documents) {
      document.filenames = (byMail.get(document.mail.id) ?? []).map(attachmentName);
    }
  }
  if (parts.has('details')) {
    const rows = await store.query(mailDetails, [...new Set(documents.map(({ mail }) => mail.id))]);
    const byMail = new Map(rows.map(({ id, details }) => [id, details]));
    for (const document of documents) {
      const details = byMail.get(document.mail.id) ?? null;
      const files = details?.attachments;
      document.details = {
        people: shownPeople(document, details),
        hasFile: files?.some(({ isInline }) => !isInline) ?? document.mail.attachmentCount > 0,
        hasInline: files?.some(({ isInline }) => isInline) ?? false,
      };
    }
  }
}

async function addressesOf(document: Document, pause: () => Promise<void>) {
  const { mail, message } = document;
  const compared = async (addresses: readonly string[]) => {
    const found = new Set<string>();
    for (const address of addresses) {
      found.add(comparableAddress(address));
      await pause();
    }
    return [...found];
  };
  return {
    from: await compared([mail.fromAddress]),
    to: await compared(recipientsOf(document)),
    cc: await compared(mail.cc),
    replyTo: await compared((message.facts?.replyTo ?? []).map(({ address }) => address)),
  };
}

/** Adds what is read with the bodies or the raw mail. */
export async function addLong(
  context: LoadingParts,
  extractions: Pick<Extractions, 'of'>,
  document: Document,
  { mail, parts, asked }: { mail: MessageAndMail | undefined; parts: Parts; asked: Sought[] },
): Promise<void> {
  if (parts.has('header')) {
    document.header ??= await storedHeaders(context, document, MAX_HEADER_BYTES);
  }
  if (!mail) return;
  if (parts.has('html')) document.hasHtml = mail.mail.html !== null;
  const withLinks = parts.has('links');
  if (parts.has('text') && (!document.body || (withLinks && !document.body.hasLinks))) {
    document.body = await readBody(context.ingest.reading, mail, { asked, withLinks });
  }
  if (parts.has('extraction') && !document.facts) {
    const { hasCode, linkKinds } = await extractions.of(mail);
    document.facts = { hasCode, linkKinds };
  }
}
