import { expect } from 'chai';
import { indexLag } from '../../../core/search/index-mails.ts';
import { besideSnapshot } from '../../support/context/snapshot.ts';
import { service } from '../../support/service.ts';

const REMOVED = 3000;
const LEFT = 10;
const COUNTS = 5;

describe('the count of mails that are not indexed, on PostgreSQL', () => {
  const test = service();

  it('reads the entries of indexed mails once, while a snapshot keeps them', async () => {
    await besideSnapshot(test, 'search_pending_pkey', async (beside) => {
      await beside.write(
        `insert into search_pending (id) select 'mal_' || lpad(n::text, 26, '0')
         from generate_series(1, $1::int) as n`,
        [REMOVED + LEFT],
      );
      await beside.hold();
      await beside.write(
        `delete from search_pending where id <= 'mal_' || lpad($1::text, 26, '0')`,
        [String(REMOVED)],
      );
      const before = await beside.entriesRead();
      for (let n = 0; n < COUNTS; n += 1) {
        expect(await indexLag(beside)).to.include({ unindexed: LEFT });
      }
      expect((await beside.entriesRead()) - before).to.be.within(REMOVED, REMOVED + COUNTS * LEFT);
    });
  });
});
