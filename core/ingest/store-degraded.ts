import { UnstorableError } from '../../db/errors.js';
import type { MailRows, StoreOutcome } from '../../db/statements/mails.js';
import type { Context } from '../context.js';
import { unreadable, withoutBody } from '../mime/parse-mail.js';
import { type MailToStore, storeMail } from './store-mail.js';

/**
 * Stores the mail whole or, where the database rejects its content, with its headers alone or with its envelope alone.
 * The raw source is stored in each case.
 * @throws {UnstorableError} when the database rejects all three forms; as `storeMail` does for any other failure.
 */
export async function storeWithFallback(
  context: Context,
  { accepted, mail, raw }: MailToStore,
  conditions: MailRows['conditions'] = null,
): Promise<StoreOutcome> {
  const { ingestId } = accepted;
  try {
    return await storeMail(context, { accepted, mail, raw }, conditions);
  } catch (error) {
    if (!(error instanceof UnstorableError)) throw error;
    context.log.warn('mail rejected by the database, storing it without its body', {
      ingestId,
      fault: error.message,
    });
  }
  const reason = 'the content could not be stored';
  try {
    return await storeMail(context, { accepted, mail: withoutBody(mail, reason), raw }, conditions);
  } catch (error) {
    if (!(error instanceof UnstorableError)) throw error;
  }
  return storeMail(context, { accepted, mail: unreadable(reason), raw }, conditions);
}
