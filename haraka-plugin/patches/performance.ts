/**
 * Replaces methods of Haraka whose cost grows with the input by equivalent methods of constant
 * cost.
 */
import { replaceMethod } from './replace-method.ts';

const LF = 10;

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
