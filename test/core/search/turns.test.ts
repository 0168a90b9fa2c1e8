import { expect } from 'chai';
import { AppError } from '../../../core/errors.ts';
import { countUnindexed } from '../../../db/statements/search.ts';
import type { Store } from '../../../db/store.ts';
import { openTestApi } from '../../support/context/api.ts';
import { eventually } from '../../support/mocha/eventually.ts';
import { service } from '../../support/service.ts';

/** Slices that read long parts of messages. */
const AT_ONCE = 2;

describe('searches at the same time', () => {
  const test = service({ mailboxes: ['box'] });
  let running: number;
  let goOn: () => void;

  /** The API over a store in which a search stays until `goOn`, and fails if `fault` is set. */
  const open = (fault?: Error) => {
    running = 0;
    const stuck = new Promise<void>((resolve) => (goOn = resolve));
    const ask = async (...asked: unknown[]) => {
      const of = test.context.store.query as (...given: unknown[]) => Promise<unknown>;
      if (asked[0] !== countUnindexed) return of(...asked);
      running += 1;
      await stuck;
      if (fault) throw fault;
      return of(...asked);
    };
    const store: Store = { ...test.context.store, query: ask as Store['query'] };
    return openTestApi({ ...test, context: { ...test.context, store } });
  };
  const search = '/api/messages?q=code';
  const areRunning = () => eventually('the searches to run', () => running === AT_ONCE);

  it(`run ${AT_ONCE} at a time, and those of another workspace before more of the same`, async () => {
    const api = open();
    const stranger = await test.stranger();
    await api.post('/api/mailboxes', stranger).send({ name: 'box' }).expect(201);
    const ended: string[] = [];
    const start = (name: string, token?: string) =>
      api.get(search, token).then(({ status }) => {
        ended.push(name);
        return status;
      });
    const searches = Array.from({ length: 20 }, () => start('ours'));
    await areRunning();
    searches.push(start('theirs', stranger));
    await api.get('/api/mailboxes', stranger).expect(200);
    expect(running).to.equal(AT_ONCE);
    goOn();
    expect(new Set(await Promise.all(searches))).to.deep.equal(new Set([200]));
    expect(ended.indexOf('theirs')).to.be.below(ended.length / 2);
  });

  it('leave their places to others when they fail', async () => {
    const api = open(new AppError('unavailable', 'no'));
    const searches = Array.from({ length: 2 * AT_ONCE }, () => api.get(search));
    const statuses = Promise.all(searches.map(async (answer) => (await answer).status));
    await areRunning();
    goOn();
    expect(new Set(await statuses)).to.deep.equal(new Set([503]));
  });
});
