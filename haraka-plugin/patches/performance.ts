/** Methods that cost Haraka more the more a client sends, with the same result at a constant cost. */
import { replaceMethod } from './replace-method.js';

const LF = 10;

export function applyPerformancePatches(haraka: Haraka.Patchable<'connection' | 'utils'>): void {
  // Haraka compares byte by byte in JavaScript, and twice for each packet of a line that has no end yet.
  replaceMethod(haraka, 'utils', 'indexOfLF', 2, () => (bytes, max) => {
    const at = bytes.indexOf(LF);
    return max && at >= max ? -1 : at;
  });

  // Haraka keeps each recipient of a mail for plugins that do not exist here, refused ones too, in a list that it copies.
  replaceMethod(haraka, 'connection', 'rcpt_incr', 4, () => {
    return function (_recipient, action) {
      this.rcpt_count[action] += 1;
      if (this.transaction) this.transaction.rcpt_count[action] += 1;
    };
  });
}
