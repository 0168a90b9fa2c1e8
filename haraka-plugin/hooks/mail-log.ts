/** Logs one `info` line per mail: accepted, or refused with the reason. */
import { openEventLines } from '../../core/log.ts';
import { addressGroup } from '../../core/limits/rate-limit.ts';
import type { FrontContext } from '../../core/context.ts';
import type { Envelope, RecipientRefusal } from '../envelope.ts';

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
