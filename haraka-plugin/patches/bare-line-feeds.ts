/**
 * Lines of DATA that end in a bare LF: a server that takes them for lines lets mail be smuggled. Haraka refuses
 * them, too, but with 451, and a client that believes it sends the same mail for days.
 */
import { bareLineFeed, textOf } from '../replies.js';
import { replaceMethod } from './replace-method.js';

const LF = 0x0a;
const CR = 0x0d;

export function refuseBareLineFeeds(haraka: Haraka.Patchable<'connection'>): void {
  replaceMethod(haraka, 'connection', 'accumulate_data', 1, (take) => {
    return function (line) {
      if (line.at(-1) === LF && line.at(-2) !== CR) {
        this.respond(554, textOf(bareLineFeed), () => {
          this.disconnect();
        });
      } else {
        take.call(this, line);
      }
    };
  });
}
