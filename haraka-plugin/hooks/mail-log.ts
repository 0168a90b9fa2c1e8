/** One line of the log for each mail, at `info`: that it was accepted, or why it was not. */
import { addressGroup } from '../../core/limits/client-network.js';
import type { FrontContext } from '../../core/context.js';
import type { Envelope, Refusal } from '../envelope.js';

export interface MailLog {
  accepted: (connection: Haraka.Connection, mail: Envelope, ingestId: string) => void;
  refused: (connection: Haraka.Connection, mail: Envelope, refusal: Refusal) => void;
}

/** Writes nothing with `LOG_MAIL=false`, or where the log takes no `info`. */
export function openMailLog({ config, log }: Pick<FrontContext, 'config' | 'log'>): MailLog {
  const isOn = config.smtp.logMail && log.isInfoEnabled();
  return {
    accepted(connection, mail, ingestId) {
      if (isOn) log.info('mail accepted', { ingestId, ...factsOf(connection, mail) });
    },
    refused(connection, mail, { code, reason }) {
      if (isOn) log.info('mail refused', { code, reason, ...factsOf(connection, mail) });
    },
  };
}

/** `size` is in bytes, our Received field not counted; `durationMs` runs from MAIL to the answer. */
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
