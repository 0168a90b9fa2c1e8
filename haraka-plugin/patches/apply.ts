/**
 * Applies all patches in order. A later patch of a method runs before an earlier one. README.md of
 * this folder describes each patch.
 */
import type { Config } from '../../core/config/config.ts';
import type { Metrics } from '../../core/metrics/metrics.ts';
import type { AuthCommands } from '../auth/exchange.ts';
import { checkAddressSyntax } from './address-syntax.ts';
import { takeAuthLines } from './auth-lines.ts';
import { refuseBareLineFeeds } from './bare-line-feeds.ts';
import { readBodiesInBulk } from './bulk-lines.ts';
import { checkCommands } from './commands.ts';
import { countRefusals } from './count-refusals.ts';
import { disableInternalCommand } from './disable-internalcmd.ts';
import { limitErrors } from './error-limit.ts';
import { groupReplies } from './group-replies.ts';
import { setHostName } from './host-name.ts';
import { boundInput } from './input.ts';
import { applyPerformancePatches } from './performance.ts';
import { collectRawBytes } from './raw-bytes.ts';

/** @throws {AppError} `unavailable` if a method of Haraka does not match its patch. */
export function applyPatches(
  haraka: Haraka.Modules,
  smtp: Config['smtp'],
  metrics: Metrics['smtp'],
  auth: AuthCommands,
): void {
  disableInternalCommand(haraka);
  collectRawBytes(haraka);
  refuseBareLineFeeds(haraka);
  // process_data: input.ts counts and limits the bytes before bulk-lines.ts reads them.
  readBodiesInBulk(haraka);
  boundInput(haraka);
  checkCommands(haraka);
  // process_line: auth-lines.ts takes lines of AUTH before commands.ts checks them as commands.
  takeAuthLines(haraka, auth);
  // respond: error-limit.ts sees each reply first and can replace it; count-refusals.ts counts the
  // reply that is sent; group-replies.ts surrounds its write.
  groupReplies(haraka);
  checkAddressSyntax(haraka);
  countRefusals(haraka, metrics);
  limitErrors(haraka, smtp);
  setHostName(haraka, smtp.hostname);
  applyPerformancePatches(haraka);
}
