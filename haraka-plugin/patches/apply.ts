/**
 * Applies all patches in order. A later patch of a method runs before an earlier one. README.md of
 * this folder describes each patch.
 */
import type { Config } from '../../core/config/config.ts';
import type { Metrics } from '../../core/metrics/metrics.ts';
import type { AuthCommands } from '../auth/exchange.ts';
import { readAddressCommands } from './address-commands.ts';
import { checkCommands, interceptAuthLines } from './commands.ts';
import {
  collectRawBytes,
  holdInputAfterData,
  readBodiesInBulk,
  refuseBareLineFeeds,
} from './data.ts';
import { replyToHalfClosed, boundInput } from './input.ts';
import { removeMethod, replaceMethod } from './replace-method.ts';
import { countRefusals, limitErrors, groupReplies } from './replies.ts';

/** @throws {AppError} `unavailable` if a method of Haraka does not match its patch. */
export function applyPatches(
  haraka: Haraka.Modules,
  smtp: Config['smtp'],
  metrics: Metrics['smtp'],
  auth: AuthCommands,
): void {
  // INTERNALCMD lets any client on a loopback address stop the server, which includes all clients
  // behind a local TCP proxy.
  removeMethod(haraka, 'connection', 'cmd_internalcmd', 1);
  collectRawBytes(haraka);
  refuseBareLineFeeds(haraka);
  holdInputAfterData(haraka);
  // process_data: boundInput counts and limits the bytes before readBodiesInBulk reads them.
  readBodiesInBulk(haraka);
  boundInput(haraka);
  checkCommands(haraka);
  readAddressCommands(haraka);
  // process_line: interceptAuthLines takes lines of AUTH before checkCommands checks them as
  // commands.
  interceptAuthLines(haraka, auth);
  // _process_data: replyToHalfClosed looks at what the others have left.
  replyToHalfClosed(haraka);
  // respond: limitErrors sees each reply first and can replace it; countRefusals counts the reply
  // that is sent; groupReplies surrounds its write.
  groupReplies(haraka);
  countRefusals(haraka, metrics);
  limitErrors(haraka, smtp);
  // The host name in the greeting and in the Received field. Haraka would read it from a file or
  // from the system.
  replaceMethod(haraka, 'netUtils', 'get_primary_host_name', 0, () => () => smtp.hostname);
  // `connection.ini` turns the PROXY protocol off. Haraka reads that file for each connection.
  replaceMethod(haraka, 'netUtils', 'is_haproxy_allowed', 1, () => () => false);
  applyPerformancePatches(haraka);
}

const LF = 10;

/** Replaces methods whose cost grows with the input by equivalent methods of constant cost. */
export function applyPerformancePatches(haraka: Haraka.Patchable<'connection' | 'utils'>): void {
  // Haraka compares bytes in JavaScript, and scans an incomplete line twice per packet.
  replaceMethod(haraka, 'utils', 'indexOfLF', 2, () => (bytes, max) => {
    const at = bytes.indexOf(LF);
    return max && at >= max ? -1 : at;
  });

  // Haraka copies a list of all recipients, including rejected ones, for plugins that Mayfly does
  // not use.
  replaceMethod(haraka, 'connection', 'rcpt_incr', 4, () => {
    return function (_recipient, action) {
      this.rcpt_count[action] += 1;
      if (this.transaction) this.transaction.rcpt_count[action] += 1;
    };
  });
}
