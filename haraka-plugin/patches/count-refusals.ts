import type { Metrics } from '../../core/metrics/metrics.ts';
import { envelopeOf } from '../envelope.ts';
import { allReasons, reasonFor } from '../replies.ts';
import { replaceMethod } from './replace-method.ts';

const FIRST_REFUSAL = 400;

/**
 * Counts every 4xx and 5xx reply of Mayfly and Haraka by reason, and records the last one in the
 * envelope.
 */
export function countRefusals(
  haraka: Haraka.Patchable<'connection'>,
  { refusals }: Pick<Metrics['smtp'], 'refusals'>,
): void {
  // A counter that first appears with the value 1 shows no increase, so all start at 0.
  for (const reason of allReasons()) refusals.inc({ reason }, 0);
  replaceMethod(haraka, 'connection', 'respond', 3, (respond) => {
    return function (code, text, then) {
      const isDsn = typeof text === 'object' && 'code' in text;
      const given = isDsn ? text.code : code;
      if (given >= FIRST_REFUSAL) {
        const told = isDsn ? text.reply : Array.isArray(text) ? (text[0] ?? '') : text;
        const reason = reasonFor(given, told);
        refusals.inc({ reason });
        const mail = envelopeOf(this);
        if (mail) mail.refusal = { code: given, reason };
      }
      respond.call(this, code, text, then);
    };
  });
}
