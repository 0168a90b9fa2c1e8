/**
 * The end of a mail: the final dot, and its line in the log. Before the 250, the raw bytes and the
 * ingest job are durable, and REDIS_MIN_REPLICAS replicas of Redis have them. With the 250 the
 * server takes responsibility for the mail (RFC 5321 section 6.1).
 */
import type { FrontContext } from '../../core/context.ts';
import { newId } from '../../core/ids.ts';
import { loadsOf } from '../../core/intake/load.ts';
import { messagesFor } from '../../core/intake/accepted-mail.ts';
import { withTimeout } from '../../core/with-timeout.ts';
import type { Envelope, RecipientRefusal } from '../envelope.ts';
import { openEventLines } from '../../core/log.ts';
import { addressGroup } from '../../core/limits/rate-limit.ts';

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

/** Logs one `info` line per mail: accepted, or refused with the reason. */
export interface MailLog {
  accepted: (connection: Haraka.Connection, mail: Envelope, ingestId: string) => void;
  refused: (connection: Haraka.Connection, mail: Envelope, refusal: RecipientRefusal) => void;
}

/** Logs nothing if `LOG_MAIL=false` or the log level is above `info`. */
export function openMailLog({ config, log }: Pick<FrontContext, 'config' | 'log'>): MailLog {
  const write = config.smtp.logMail ? openEventLines(log, config) : () => undefined;
  return {
    accepted(connection, mail, ingestId) {
      write('mail accepted', { ingestId, ...factsOf(connection, mail) });
    },
    refused(connection, mail, { code, reason }) {
      write('mail refused', { code, reason, ...factsOf(connection, mail) });
    },
  };
}

/**
 * `size` is in bytes, without Mayfly's Received field. `durationMs` is measured from MAIL to the
 * reply.
 */
function factsOf(
  { remote, tls }: Haraka.Connection,
  { sink, recipients, refusedRecipients: refused, begunAt }: Envelope,
): object {
  return {
    size: sink.mailBytes,
    recipients: recipients.length,
    ...(refused.count > 0
      ? { refusedRecipients: refused.count, lastRefusedRecipient: refused.last }
      : {}),
    remote: addressGroup(remote.ip),
    tls: tls.enabled,
    durationMs: Math.round(performance.now() - begunAt),
  };
}
