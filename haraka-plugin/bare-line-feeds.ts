/**
 * Lines of DATA that end in a bare LF: a server that takes them for lines lets mail be smuggled. Haraka refuses
 * them, too, but with 451, and a client that believes it sends the same mail for days.
 */
import { bareLineFeed, textOf } from './replies.js';

const LF = 0x0a;
const CR = 0x0d;

export function refuseBareLineFeeds({ connection }: Pick<Haraka.Modules, 'connection'>): void {
  const { prototype } = connection.Connection;
  const take = prototype.accumulate_data;
  prototype.accumulate_data = function (line) {
    if (line.at(-1) === LF && line.at(-2) !== CR) {
      this.respond(554, textOf(bareLineFeed), () => {
        this.disconnect();
      });
    } else {
      take.call(this, line);
    }
  };
}
