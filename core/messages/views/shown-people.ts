/** The recipients of a message as a reader sees them, and those that its header hides. */
import type { MessageSummary } from '../../../db/statements/messages.ts';
import type { MailDetails, Person } from '../../../db/schema/mail-facts.ts';
import { comparableAddress } from '../../addresses.ts';

interface ShownPeople {
  /** Of the field To, or the envelope recipient without one. */
  to: Person[];
  cc: Person[];
  /** Of the field Bcc, and recipients of the envelope that no field names. */
  bcc: Person[];
}

/** @param details null of mail that an earlier version stored, whose names are unknown */
export function shownPeople(
  { message, mail }: MessageSummary,
  details: Pick<MailDetails, 'to' | 'cc' | 'bcc'> | null,
): ShownPeople {
  const { recipient, envelopeTo } = message;
  const to = people(details?.to, mail.to.length > 0 ? mail.to : [recipient]);
  const cc = people(details?.cc, mail.cc);
  const bcc = details?.bcc ?? [];
  const own = mail.to.length > 0 ? [] : [recipient];
  const named = new Set(
    [...mail.to, ...mail.cc, ...own, ...bcc.map(({ address }) => address)].map(comparableAddress),
  );
  const hidden = (envelopeTo ?? [recipient]).filter(
    (address) => !named.has(comparableAddress(address)),
  );
  return { to, cc, bcc: [...bcc, ...people([], hidden)] };
}

/** @param plain in place of people, if there are none */
function people(found: Person[] | undefined, plain: string[]): Person[] {
  return found && found.length > 0 ? found : plain.map((address) => ({ address, name: null }));
}
