/**
 * Handles the final dot. Before the 250, the raw bytes and the ingest job are durable, and
 * REDIS_MIN_REPLICAS replicas of Redis have them. With the 250 the server takes responsibility for
 * the mail (RFC 5321 section 6.1).
 */
import type { FrontContext } from '../../core/context.ts';
import { newId } from '../../core/ids.ts';
import { loadsOf } from '../../core/intake/load.ts';
import { messagesFor } from '../../core/intake/accepted-mail.ts';
import { withTimeout } from '../../core/with-timeout.ts';
import type { Envelope } from '../envelope.ts';

/**
 * Time limit from the final dot to the reply. A Redis command can stall for seconds on a busy disk,
 * and a client such as a program under test may not retry after 451, so the limit is long. It is
 * below `config/mayfly.timeout`, after which Haraka would reply while the hook is still running.
 */
export const ACCEPT_TIMEOUT_MS = 20_000;

/** Queues the mail durably and resolves to its ingest id. */
export async function acceptMail(
  { now, intake }: Pick<FrontContext, 'now' | 'intake'>,
  sender: string,
  mail: Envelope,
): Promise<string> {
  const receivedAt = now();
  const content = {
    size: mail.sink.bytes,
    messages: messagesFor(mail.recipients, receivedAt),
  };
  const received = {
    mailId: newId('mail', receivedAt),
    receivedAt,
    sender,
    ...content,
    loads: loadsOf(content, mail.recipients),
  };
  return withTimeout(ACCEPT_TIMEOUT_MS, (isLate) =>
    mail.sink.lend((chunks) => intake.add(received, chunks, isLate)),
  );
}
