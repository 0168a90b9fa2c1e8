import { comparableAddress } from '../../../core/addresses.ts';
import { type Document, documentOf, recipientsOf } from '../../../core/matching/document.ts';
import { FoldedText } from '../../../core/text/folded-text.ts';

type Stored = Parameters<typeof documentOf>[0];

/** A document of a message with these columns and texts, as it is loaded. */
export function documentFor(
  message: Partial<Stored['message']>,
  mail: Partial<Stored['mail']>,
  texts: readonly string[] = [],
): Document {
  const document = documentOf({
    message: {
      ...{ id: '', mailId: '', mailboxId: '', workspaceId: '', recipient: '', number: 0 },
      ...{ receivedAt: new Date(0), expiresAt: new Date(0), bodyBytes: 0 },
      ...{ tag: null, envelopeTo: null, envelopeFrom: null, facts: null, preview: null },
      ...message,
    },
    mail: {
      ...{ id: '', fromAddress: '', fromName: null, to: [], cc: [], subject: '', size: 0 },
      ...{ messageIdHeader: null, attachmentCount: 0, parseError: null },
      ...mail,
    },
  });
  const folded = texts.map((text) => new FoldedText(text));
  const compared = (addresses: readonly string[]) => addresses.map(comparableAddress);
  const replyTo = document.message.facts?.replyTo ?? [];
  return {
    ...document,
    addresses: {
      from: compared([document.mail.fromAddress]),
      to: compared(recipientsOf(document)),
      cc: compared(document.mail.cc),
      replyTo: compared(replyTo.map(({ address }) => address)),
    },
    body: {
      has: (sought) =>
        folded.some((text) =>
          'words' in sought ? text.has(sought.words) : text.contains(sought.part),
        ),
      ...{ hasLinks: true, units: 0, forget: () => undefined },
    },
  };
}
