import { Refused } from '../db/store.js';
import type { StoreOutcome } from '../db/mails.js';
import type { Context } from './context.js';
import { unreadable, withoutBody } from './mail.js';
import { type MailToStore, storeMail } from './store-mail.js';

/**
 * Stores the mail, or as much of it as the database takes: whole, else its headers, else its envelope, and
 * each time its raw source.
 * @throws {Refused} when the database takes none of them; as `storeMail` does for any other failure.
 */
export async function storeSomehow(
  context: Context,
  { accepted, mail, raw }: MailToStore,
): Promise<StoreOutcome> {
  const { ingestId } = accepted;
  try {
    return await storeMail(context, { accepted, mail, raw });
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    context.log.warn('mail refused by the database, storing less of it', {
      ingestId,
      fault: error.message,
    });
  }
  const reason = 'the content could not be stored';
  try {
    return await storeMail(context, { accepted, mail: withoutBody(mail, reason), raw });
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
  }
  return storeMail(context, { accepted, mail: unreadable(reason), raw });
}
