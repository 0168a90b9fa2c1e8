import { expect } from 'chai';
import { openDocuments } from '../../../core/matching/documents.ts';
import { openFeed } from '../../../core/matching/feed.ts';
import { type Reader, afterNumber } from '../../../core/matching/reader.ts';
import { type FoundMessage, messagesOfMailbox } from '../../../core/matching/message-source.ts';
import { requireMailbox } from '../../../core/mailboxes/mailboxes.ts';
import { openSlices } from '../../../core/matching/slices.ts';
import { compileCriteria } from '../../../core/matching/criteria.ts';
import { storeDirectly } from '../../support/context/store-directly.ts';
import { service } from '../../support/service.ts';

describe('the feed of a mailbox', () => {
  const test = service();
  const extractions = { of: () => Promise.reject(new Error('not needed')) };

  const open = async (count: number) => {
    const { context } = test;
    const { name } = await test.mailbox();
    const mailbox = await requireMailbox(context, test.caller, name);
    for (let n = 0; n < count; n += 1) {
      await storeDirectly(context, mailbox.id, context.now() + n, 'text', String(n));
    }
    const reads: number[] = [];
    const source = messagesOfMailbox(context, mailbox);
    const counted = {
      ...source,
      after: (...args: Parameters<typeof source.after>) => {
        reads.push(args[0].number);
        return source.after(...args);
      },
    };
    const services = { documents: openDocuments(context, extractions), slices: openSlices() };
    return { feed: openFeed(context, services, counted), reads, mailbox };
  };
  const reader = (found: string[], most = Infinity): Reader<FoundMessage> => ({
    predicate: compileCriteria({}),
    startKey: '',
    start: () => Promise.resolve({ first: [], place: afterNumber(0) }),
    wants: () => found.length < most,
    includes: () => true,
    consider(row) {
      found.push(row.id);
    },
  });

  it('reads once for all at the same place, and goes on where each was', async () => {
    const { feed, reads, mailbox } = await open(300);
    const all: string[][] = Array.from({ length: 20 }, () => []);
    await Promise.all(all.map((found) => feed.enter(reader(found)).catchUp()));
    for (const found of all) expect(found).to.have.length(300);
    expect(reads).to.have.length.below(6);
    reads.length = 0;
    const late = await storeDirectly(test.context, mailbox.id, test.context.now());
    feed.stored();
    const other: string[] = [];
    await feed.enter(reader(other)).catchUp();
    for (const found of [...all, other]) expect(found.at(-1)).to.equal(late);
    expect(new Set(all[0]).size).to.equal(301);
  });

  it('stops for one that has enough, and is caught up while more is stored', async () => {
    const { feed, mailbox } = await open(300);
    const few: string[] = [];
    await feed.enter(reader(few, 1)).catchUp();
    expect(few.length).to.be.within(1, 100);
    const state = { isOver: false };
    const storing = (async () => {
      while (!state.isOver) {
        await storeDirectly(test.context, mailbox.id, test.context.now());
        feed.stored();
      }
    })();
    await feed.enter(reader([])).catchUp();
    state.isOver = true;
    await storing;
  });
});
