import { UnstorableError } from '../../db/errors.ts';
import type { MailRows, StoreOutcome } from '../../db/statements/mails.ts';
import type { Context } from '../context.ts';
import { unreadable, withoutBody } from '../mime/parse-mail.ts';
import { type MailToStore, storeMail } from './store-mail.ts';

/**
 * Stores the mail in full. If the database rejects its content, stores only its headers, or else
 * only its envelope. The raw source is stored in each case.
 * @throws {UnstorableError} if the database rejects all three forms; other errors as for
 *   `storeMail`.
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
    context.log.warn('database rejected the mail content, storing headers only', {
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
