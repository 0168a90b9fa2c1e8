/** The contract of the search index, run for every driver. */
import { expect } from 'chai';
import { fanOut } from '../../core/delivery/fan-out.ts';
import { firstId } from '../../core/ids.ts';
import { indexLag } from '../../core/search/index-mails.ts';
import type { IndexedWord } from '../../db/search-index.ts';
import { insertMailbox } from '../../db/statements/mailboxes.ts';
import { type MailRows, storeMails } from '../../db/statements/mails.ts';
import { removeExpired, removeMessagesById } from '../../db/statements/remove-mails.ts';
import {
  countUnindexed,
  removeUnindexed,
  unindexedMails,
  skipUnindexed,
} from '../../db/statements/search.ts';
import { insertWorkspace } from '../../db/statements/workspaces.ts';
import { type Store, query } from '../../db/store.ts';

const NOW = new Date('2026-03-01T12:00:00.123Z');
const LATER = new Date(NOW.getTime() + 86_400_000);
const at = (ms: number) => new Date(NOW.getTime() + ms);

function mail(n: number): MailRows {
  const mailId = `mal_${n}`;
  return {
    mail: {
      id: mailId,
      ingestId: `ing_${n}`,
      fromAddress: 'a@x.test',
      to: [],
      cc: [],
      subject: '',
      size: 1,
      attachmentCount: 0,
    },
    messages: [
      {
        id: `msg_${n}`,
        mailId,
        mailboxId: 'mbx_1',
        recipient: 'b@y.test',
        tag: null,
        receivedAt: at(n),
        bodyBytes: 1,
      },
    ],
    conditions: null,
    attachments: [],
  };
}

/**
 * @param open a migrated, empty store, closed after its test
 * @param completes whether the index completes the starts of words
 */
export function searchIndexSuite(
  open: () => Promise<{ store: Store; remove: () => Promise<void> }>,
  { completes }: { completes: boolean },
): void {
  let store: Store;
  let remove: () => Promise<void>;

  beforeEach(async () => {
    ({ store, remove } = await open());
    await store.transaction(function* (tx) {
      const workspace = { id: 'w', name: 'w', domain: 'w.test', plan: 'pro' as const };
      yield* query(insertWorkspace(tx, { ...workspace, createdAt: NOW }));
      const mailbox = { id: 'mbx_1', workspaceId: 'w', name: 'box', createdAt: NOW };
      yield* query(insertMailbox(tx, { ...mailbox, deletedAt: null }));
    });
  });
  afterEach(() => remove());

  const add = (numbers: number[]) =>
    store.transaction((tx) =>
      storeMails(tx, numbers.map(mail), { now: NOW, expiresAt: LATER }, fanOut),
    );
  const index = (words: Record<number, string>) =>
    store.search.add(
      Object.entries(words).map(([n, text]) => ({
        mailId: `mal_${n}`,
        receivedAt: at(Number(n)),
        words: ['w:w', ...text.split(' ')],
      })),
    );
  const asked = (text: string): IndexedWord[] =>
    text.split(' ').map((word) => ({ word: word.replace('*', ''), isPrefix: word.endsWith('*') }));
  const propose = async (text: string, range = { from: at(0), until: at(1000) }, limit = 100) => {
    const words = asked(text).map((word) => [word]);
    const wanted = { scopes: ['w:w'], words, exempt: 'all:', ...range, limit };
    return (await store.search.propose(wanted)).map(({ mailId, receivedAt }) => {
      expect(mailId).to.equal(`mal_${receivedAt.getTime() - NOW.getTime()}`);
      return Number(mailId.slice(4));
    });
  };
  const pending = async () =>
    (await store.query(unindexedMails, '', 100)).map(({ id }) => Number(id.slice(4)));

  it('proposes mails by words and starts of words, newest first', async () => {
    await add([1, 2, 3, 4]);
    await index({ 1: 'order code', 2: 'order confirmed', 3: 'all:', 4: "ordre 京都 l'été" });
    expect(await propose('order')).to.deep.equal([3, 2, 1]);
    expect(await propose('ord*')).to.deep.equal([4, 3, 2, 1]);
    expect(await propose('order co*')).to.deep.equal([3, 2, 1]);
    expect(await propose('order code')).to.deep.equal([3, 1]);
    expect(await propose('京*')).to.deep.equal([4, 3]);
    expect(await propose('none')).to.deep.equal([3]);
    expect(await propose('order', { from: at(2), until: at(3) })).to.deep.equal([2]);
    expect(await propose('ord*', { from: at(0), until: at(1000) }, 2)).to.deep.equal([4, 3]);
    expect(await propose('no*')).to.deep.equal([3]);
    const wanted = { scopes: ['w:v'], words: [asked('order')], exempt: 'all:', limit: 9 };
    expect(await store.search.propose({ ...wanted, from: at(0), until: at(9) })).to.deep.equal([]);
  });

  it('proposes mails by the start of many words', async () => {
    const numbers = Array.from({ length: 40 }, (_, n) => n);
    await add(numbers);
    await index(Object.fromEntries(numbers.map((n) => [n, `order${n} a${n % 7}`])));
    expect(await propose('order*')).to.deep.equal([...numbers].reverse());
    expect(await propose('order1*')).to.deep.equal([19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 1]);
    expect(await propose('order* a3*')).to.deep.equal([38, 31, 24, 17, 10, 3]);
    const wanted = { scopes: ['w:w'], exempt: 'all:', from: at(0), until: at(1000), limit: 2 };
    const [three, order] = asked('order3 order'); // one of them
    const either = await store.search.propose({ ...wanted, words: [[three!, order!]] });
    expect(either.map(({ mailId }) => mailId)).to.deep.equal(['mal_3']);
    await store.search.tidy();
    expect(await propose('a3*')).to.deep.equal([38, 31, 24, 17, 10, 3]);
  });

  it('proposes the newest mails with a word that most newer mails do not have', async () => {
    const numbers = Array.from({ length: 200 }, (_, n) => n);
    await add(numbers);
    const rare = new Set([3, 4, 5, 90]);
    await index(Object.fromEntries(numbers.map((n) => [n, rare.has(n) ? 'rare' : 'other'])));
    const range = { from: at(0), until: at(1000) };
    expect(await propose('rare', range, 2)).to.deep.equal([90, 5]);
    expect(await propose('ra*', { ...range, until: at(90) }, 2)).to.deep.equal([5, 4]);
    expect(await propose('rare', { ...range, until: at(4) }, 2)).to.deep.equal([3]);
    expect(await propose('other', range, 2)).to.deep.equal([199, 198]);
  });

  it(`completes ${completes ? 'the start of few words' : 'no start of a word'}`, async () => {
    await add([1, 2]);
    const many = Array.from({ length: 40 }, (_, n) => `many${n}`).join(' ');
    await index({ 1: `order ordinary order7 ${many}`, 2: 'ordre 京都 京橋 ord' });
    const completions = async (text: string) => store.search.complete(asked(text)[0]!);
    if (!completes) {
      expect(await completions('ord*')).to.equal(null);
      return;
    }
    expect(await completions('ord*')).to.have.members([
      'ord',
      'order',
      'order7',
      'ordinary',
      'ordre',
    ]);
    expect(await completions('京*')).to.have.members(['京橋', '京都']);
    expect(await completions('order')).to.deep.equal(['order']);
    expect(await completions('none*')).to.deep.equal([]);
    expect(await completions('many*')).to.equal(null);
  });

  it('has each stored mail as pending until it is indexed, and indexes only those', async () => {
    await add([1, 2]);
    await add([3]);
    expect(await pending()).to.deep.equal([1, 2, 3]);
    await index({ 1: 'word', 3: 'word' });
    expect(await pending()).to.deep.equal([2]);
    await index({ 1: 'other', 9: 'word' });
    expect(await propose('word')).to.deep.equal([3, 1]);
    expect(await propose('other')).to.deep.equal([]);
    await store.transaction((tx) => query(skipUnindexed(tx, ['mal_2'])));
    expect(await pending()).to.deep.equal([]);
    const [left] = await store.query(countUnindexed, 5);
    expect(left).to.deep.equal({ count: 1, first: 'mal_2', next: null });
    await store.transaction((tx) => query(removeUnindexed(tx, ['mal_2'])));
    const [none] = await store.query(countUnindexed, 5);
    expect(none).to.deep.equal({ count: 0, first: null, next: null });
  });

  it('reports the arrival of the oldest mail that waits, and how many are not indexed', async () => {
    expect(await indexLag({ store })).to.deep.equal({ unindexed: 0, since: undefined });
    const [skipped, first, second] = [1, 2, 3].map((n) => {
      const rows = mail(n);
      const id = firstId('mail', at(n).getTime()).padEnd(30, '0');
      const messages = rows.messages.map((message) => ({ ...message, mailId: id }));
      return { ...rows, mail: { ...rows.mail, id }, messages };
    }) as [MailRows, MailRows, MailRows];
    const times = { now: NOW, expiresAt: LATER };
    await store.transaction((tx) => storeMails(tx, [second, first, skipped], times, fanOut));
    const lag = async () => {
      const { unindexed, since } = await indexLag({ store });
      return [unindexed, since === undefined ? null : since - NOW.getTime()];
    };
    expect(await lag()).to.deep.equal([3, 1]);
    await store.transaction((tx) => query(skipUnindexed(tx, [skipped.mail.id])));
    expect(await lag()).to.deep.equal([3, 2]);
    await store.search.add([{ mailId: first.mail.id, receivedAt: at(2), words: ['w:w'] }]);
    expect(await lag()).to.deep.equal([2, 3]);
    await store.search.add([{ mailId: second.mail.id, receivedAt: at(3), words: ['w:w'] }]);
    expect(await lag()).to.deep.equal([1, null]);
  });

  it('takes many mails of one millisecond, and leaves others pending', async () => {
    const numbers = Array.from({ length: 2100 }, (_, n) => n);
    await add(numbers);
    await store.search.add(
      numbers.map((n) => ({ mailId: `mal_${n}`, receivedAt: NOW, words: ['w:w', 'word'] })),
    );
    const range = {
      scopes: ['w:w'],
      words: [asked('word')],
      exempt: 'all:',
      from: NOW,
      until: at(1),
    };
    const proposed = await store.search.propose({ ...range, limit: 5000 });
    const [unindexed] = await store.query(countUnindexed, 5000);
    expect(proposed.length + (unindexed?.count ?? 0)).to.equal(2100);
    expect(proposed.length).to.be.at.least(2000);
    expect(await pending()).to.deep.equal([]);
  });

  it('forgets mails that are deleted or expired', async () => {
    await add([1, 2, 3, 4]);
    await index({ 1: 'word', 2: 'word' });
    await store.transaction((tx) => removeMessagesById(tx, ['msg_1', 'msg_3'], NOW));
    expect(await propose('word')).to.deep.equal([2]);
    expect(await pending()).to.deep.equal([4]);
    await index({ 1: 'word', 3: 'word' });
    expect(await propose('word')).to.deep.equal([2]);
    await store.transaction((tx) => removeExpired(tx, LATER, 10));
    expect(await propose('word')).to.deep.equal([]);
    expect(await pending()).to.deep.equal([]);
  });
}
