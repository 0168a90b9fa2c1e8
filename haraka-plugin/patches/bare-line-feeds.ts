/**
 * Rejects lines of DATA that end in a bare LF, which enable SMTP smuggling. Haraka also rejects
 * them, but with 451, and clients retry after 451 for days.
 */
import { bareLineFeed, textOf } from '../replies.ts';
import { replaceMethod } from './replace-method.ts';

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
