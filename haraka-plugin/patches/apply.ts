/**
 * All patches, in their order. A later patch of a method runs before an earlier one. README.md of this folder says what
 * each is for.
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
import { setHostName } from './host-name.js';
import { boundInput } from './input.js';
import { applyPerformancePatches } from './performance.js';
import { collectRawBytes } from './raw-bytes.js';

/** @throws {AppError} `unavailable` when a method of Haraka is not the one that its patch was written for. */
export function applyPatches(
  haraka: Haraka.Modules,
  smtp: Config['smtp'],
  metrics: Metrics['smtp'],
  auth: AuthCommands,
): void {
  disableInternalCommand(haraka);
  collectRawBytes(haraka);
  refuseBareLineFeeds(haraka);
  // process_data: input.ts counts and bounds the bytes before bulk-lines.ts reads them.
  readBodiesInBulk(haraka);
  boundInput(haraka);
  checkCommands(haraka);
  // process_line: auth-lines.ts takes lines of AUTH before commands.ts looks at them as commands.
  takeAuthLines(haraka, auth);
  // respond: error-limit.ts sees each reply first and may send another; count-refusals.ts counts what is sent.
  checkAddressSyntax(haraka);
  countRefusals(haraka, metrics);
  limitErrors(haraka, smtp);
  setHostName(haraka, smtp.hostname);
  applyPerformancePatches(haraka);
}
