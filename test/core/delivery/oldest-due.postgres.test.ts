import { expect } from 'chai';
import { oldestDueAt, requeueLostDeliveries } from '../../../core/delivery/requeue-lost.ts';
import { besideSnapshot } from '../../support/context/snapshot.ts';
import { service } from '../../support/service.ts';

const ENDED = 3000;
const LEFT = 10;
const RUNS = 5;

describe('the oldest open attempt, on PostgreSQL', () => {
  const test = service();

  it('is found past the entries of ended deliveries once, while a snapshot keeps them', async () => {
    await besideSnapshot(test, 'deliveries_owed', async (beside) => {
      await beside.write(
        `insert into deliveries (id, webhook_id, message_id, trigger, state, attempts, failures,
           interruptions, next_attempt_at, created_at)
         select 'dlv_' || lpad(n::text, 26, '0'), 'whk_1', 'msg_1', 'event', 'pending', 0, 0, 0,
           case when n <= $1 then now() - interval '1 hour' else now() + interval '1 hour' end,
           now()
         from generate_series(1, $1::int + $2::int) as n`,
        [ENDED, LEFT],
      );
      await beside.hold();
      await beside.write(
        `update deliveries set state = 'delivered', next_attempt_at = null
         where next_attempt_at < now()`,
      );
      const before = await beside.entriesRead();
      for (let run = 0; run < RUNS; run += 1) {
        expect(await oldestDueAt(beside)).to.be.above(new Date(test.context.now()));
        expect(await requeueLostDeliveries({ ...test.context, ...beside })).to.equal(0);
      }
      expect((await beside.entriesRead()) - before).to.be.within(ENDED, ENDED + RUNS * LEFT);
    });
  });
});
