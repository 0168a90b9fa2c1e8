/**
 * Applies all patches in order. A later patch of a method runs before an earlier one. README.md of
 * this folder describes each patch.
 */
import type { Config } from '../../core/config/config.js';
import type { Metrics } from '../../core/metrics/metrics.js';
import type { AuthCommands } from '../auth/exchange.js';
import { checkAddressSyntax } from './address-syntax.js';
import { takeAuthLines } from './auth-lines.js';
import { refuseBareLineFeeds } from './bare-line-feeds.js';
import { readBodiesInBulk } from './bulk-lines.js';
import { checkCommands } from './commands.js';
import { countRefusals } from './count-refusals.js';
import { disableInternalCommand } from './disable-internalcmd.js';
import { limitErrors } from './error-limit.js';
import { groupReplies } from './group-replies.js';
import { setHostName } from './host-name.js';
import { boundInput } from './input.js';
import { applyPerformancePatches } from './performance.js';
import { collectRawBytes } from './raw-bytes.js';

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
