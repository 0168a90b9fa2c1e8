/** A process that indexes mail until it is killed. It sends a message after each few mails. */
import { readConfig } from '../../core/config/config.ts';
import { indexMails } from '../../core/search/index-mails.ts';
import { openLog } from '../../core/log.ts';
import { openContext } from '../../core/open-context.ts';

const config = readConfig(process.env, 'worker');
const context = await openContext(config, openLog(config));
let batches = 0;
const search: typeof context.store.search = {
  ...context.store.search,
  async add(entries) {
    await context.store.search.add(entries);
    batches += 1;
    process.send?.(batches);
    // The mails of this batch are indexed; the process is killed within the next one.
    if (batches === 2) await new Promise(() => undefined);
  },
};
await indexMails({ ...context, store: { ...context.store, search } });
