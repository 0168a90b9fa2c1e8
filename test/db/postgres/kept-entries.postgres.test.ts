/**
 * A transaction whose snapshot is open keeps the entries of removed rows in every index. What looks
 * at the start of such an index again and again reads them once.
 */
import { expect } from 'chai';
import { oldestDueAt, requeueLostDeliveries } from '../../../core/delivery/requeue-lost.ts';
import { purgeExpired } from '../../../core/retention/purge.ts';
import { indexLag } from '../../../core/search/index-mails.ts';
import { type BesideSnapshot, besideSnapshot } from '../../support/context/snapshot.ts';
import { service } from '../../support/service.ts';

const REMOVED = 3000;
const LEFT = 10;
const LOOKS = 5;

interface Walk {
  index: string;
  /** Fills the table for its parameters, the numbers of rows to remove and of all. */
  fill: string;
  remove: string;
  look: (beside: BesideSnapshot) => Promise<void>;
  looks: number;
}

describe('beside a snapshot, on PostgreSQL, the entries of removed rows are read once', () => {
  const test = service();

  const walks: Record<string, Walk> = {
    'by the count of mails that are not indexed': {
      index: 'search_pending_pkey',
      fill: `insert into search_pending (id) select 'mal_' || lpad(n::text, 26, '0')
         from generate_series(1, $2::int) as n where $1 > 0`,
      remove: `delete from search_pending where id <= 'mal_' || lpad(${REMOVED}::text, 26, '0')`,
      look: async (beside) => {
        expect(await indexLag(beside)).to.include({ unindexed: LEFT });
      },
      looks: LOOKS,
    },
    'by the search for the oldest open attempt': {
      index: 'deliveries_owed',
      fill: `insert into deliveries (id, webhook_id, message_id, trigger, state, attempts, failures,
           interruptions, next_attempt_at, created_at)
         select 'dlv_' || lpad(n::text, 26, '0'), 'whk_1', 'msg_1', 'event', 'pending', 0, 0, 0,
           case when n <= $1 then now() - interval '1 hour' else now() + interval '1 hour' end,
           now()
         from generate_series(1, $2::int) as n`,
      remove: `update deliveries set state = 'delivered', next_attempt_at = null
         where next_attempt_at < now()`,
      look: async (beside) => {
        expect(await oldestDueAt(beside)).to.be.above(new Date(test.context.now()));
        expect(await requeueLostDeliveries({ ...test.context, ...beside })).to.equal(0);
      },
      looks: LOOKS,
    },
    'by the removal of expired mail': {
      index: 'mails_by_expiry',
      fill: `insert into mails (id, ingest_id, from_address, to_addresses, cc_addresses, subject, size,
           attachment_count, expires_at)
         select 'mal_' || n, 'ing_' || n, '', '[]', '[]', '', 0, 0,
           now() + (case when n <= $1 then - n else 3600000 end) * interval '1 ms'
         from generate_series(1, $2::int) as n`,
      remove: 'analyze mails',
      look: async (beside) => void (await purgeExpired({ ...test.context, ...beside })),
      looks: 1,
    },
  };
  for (const [how, { index, fill, remove, look, looks }] of Object.entries(walks)) {
    it(how, async () => {
      await besideSnapshot(test, index, async (beside) => {
        await beside.write(fill, [REMOVED, REMOVED + LEFT]);
        await beside.hold();
        await beside.write(remove);
        const before = await beside.entriesRead();
        for (let run = 0; run < looks; run += 1) await look(beside);
        const read = (await beside.entriesRead()) - before;
        expect(read).to.be.within(REMOVED, REMOVED + LOOKS * LEFT);
      });
    });
  }
});
