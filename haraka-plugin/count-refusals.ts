import type { Metrics } from '../core/metrics.js';
import { allReasons, reasonFor } from './replies.js';

const FIRST_REFUSAL = 400;

/** Counts every answer of 4xx and 5xx, ours and Haraka's, by its reason. */
export function countRefusals(
  { connection }: Pick<Haraka.Modules, 'connection'>,
  { refusals }: Pick<Metrics['smtp'], 'refusals'>,
): void {
  // A counter that appears with its first event shows no rise from it.
  for (const reason of allReasons()) refusals.inc({ reason }, 0);
  const { prototype } = connection.Connection;
  const respond = prototype.respond;
  prototype.respond = function (code, text, then) {
    const isDsn = typeof text === 'object' && 'code' in text;
    const given = isDsn ? text.code : code;
    if (given >= FIRST_REFUSAL) {
      const told = isDsn ? text.reply : Array.isArray(text) ? (text[0] ?? '') : text;
      refusals.inc({ reason: reasonFor(given, told) });
    }
    respond.call(this, code, text, then);
  };
}
