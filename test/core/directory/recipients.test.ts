import { expect } from 'chai';
import {
  type RecipientDirectory,
  type RecipientEntry,
  type RecipientSource,
  StaleEntryError,
} from '../../../core/directory/recipients.ts';
import { recipientSource } from '../../../core/directory/sources.ts';
import { newId } from '../../../core/ids.ts';
import { service } from '../../support/service.ts';
import { rejection } from '../../support/mocha/rejection.ts';

const recipient = (name: string, domain = 'one.test') => ({ name, domain, tag: null });

/** A fake database with mutable rows. */
function sourceOf(rows: Map<string, string>, domains = ['one.test']): RecipientSource {
  const entries = () => [...rows].map(([address, mailboxId]) => ({ address, mailboxId }));
  return {
    async *domains() {
      yield domains;
    },
    async *pages() {
      yield entries();
    },
    find: async (addresses) => entries().filter(({ address }) => addresses.includes(address)),
  };
}

describe('recipient directory', () => {
  const test = service();
  let directory: RecipientDirectory;
  beforeEach(() => {
    ({ directory } = test.context);
  });

  const outcome = async (name: string, domain?: string) =>
    (await directory.lookup(recipient(name, domain))).outcome;

  it('distinguishes mailboxes, unknown names and foreign domains', async () => {
    const entry = { address: 'box@one.test', mailboxId: 'mbx_1', workspaceId: 'wsp_1' };
    await directory.add(entry);
    expect(await directory.lookup(recipient('box'))).to.deep.equal({
      outcome: 'mailbox',
      mailboxId: 'mbx_1',
      workspaceId: 'wsp_1',
      address: 'box@one.test',
    });
    expect(await outcome('none')).to.equal('unknown');
    expect(await outcome('box', 'two.test')).to.equal('foreign');
  });

  it('takes the mailbox for the workspace in entries of an older version, until it has compared', async () => {
    const { id, address } = await test.mailbox('old');
    const { redis, config, store } = test.context;
    const hash = `${config.redisPrefix}:directory:mailboxes`;
    const [mailboxId, expiry, workspaceId] = (await redis.hget(hash, address))!.split(' ');
    expect([mailboxId, Number(expiry), workspaceId]).to.deep.equal([
      id,
      Infinity,
      test.caller.workspace.id,
    ]);
    const later = Date.now() + 60_000;
    for (const [value, expiresAt] of [
      [id, undefined],
      [`${id} ${later}`, later],
    ] as const) {
      await redis.hset(hash, address, value);
      const found = await directory.lookup(recipient('old'));
      expect(found).to.include({ outcome: 'mailbox', mailboxId: id, workspaceId: id });
      expect('expiresAt' in found ? found.expiresAt : undefined).to.equal(expiresAt);
    }
    expect(await directory.compare(recipientSource(store))).to.equal(1);
    const found = await directory.lookup(recipient('old'));
    expect(found).to.include({ mailboxId: id, workspaceId: test.caller.workspace.id });
  });

  it('rejects no address while it is incomplete', async () => {
    await directory.add({ address: 'box@one.test', mailboxId: 'mbx_1' });
    await test.context.redis.flushall();
    expect(await directory.isComplete()).to.equal(false);
    expect(await outcome('box')).to.equal('incomplete');
    expect(await outcome('box', 'two.test')).to.equal('incomplete');
    await directory.rebuild(sourceOf(new Map([['box@one.test', 'mbx_1']])));
    expect(await outcome('box')).to.equal('mailbox');
    expect(await outcome('none')).to.equal('unknown');
  });

  it('removes an entry only for its own mailbox', async () => {
    await directory.add({ address: 'box@one.test', mailboxId: 'mbx_new' });
    await directory.remove({ address: 'box@one.test', mailboxId: 'mbx_old' });
    expect(await outcome('box')).to.equal('mailbox');
    await directory.remove({ address: 'box@one.test', mailboxId: 'mbx_new' });
    expect(await outcome('box')).to.equal('unknown');
  });

  it('does not add a mailbox that was removed before the command arrived', async () => {
    const entry = { address: 'box@one.test', mailboxId: 'mbx_1' };
    await directory.remove(entry);
    expect(await rejection(directory.add(entry))).to.be.instanceOf(StaleEntryError);
    expect(await outcome('box')).to.equal('unknown');
  });

  it('replaces an older mailbox and keeps a newer one', async () => {
    const at = (mailboxId: string) => ({ address: 'box@one.test', mailboxId });
    const [older, newer] = [newId('mailbox', 1_000), newId('mailbox', 5_000)];
    await directory.add(at(older));
    await directory.add(at(newer));
    await directory.add(at(newer)); // the same command again
    expect(await rejection(directory.add(at(older)))).to.be.instanceOf(StaleEntryError);
    expect(await directory.lookup(recipient('box'))).to.include({ mailboxId: newer });
  });

  it('corrects missing, stale and wrong entries, and counts them', async () => {
    const wrong: RecipientEntry[] = [
      { address: 'stale@one.test', mailboxId: 'mbx_1' },
      { address: 'moved@one.test', mailboxId: 'mbx_2' },
      { address: 'right@one.test', mailboxId: 'mbx_3' },
    ];
    for (const entry of wrong) await directory.add(entry);
    await directory.addDomain('old.test');
    const truth = new Map([
      ['moved@one.test', 'mbx_9'],
      ['right@one.test', 'mbx_3'],
      ['missing@one.test', 'mbx_4'],
    ]);
    expect(await directory.compare(sourceOf(truth))).to.equal(4);
    expect(await directory.compare(sourceOf(truth))).to.equal(0);
    expect(await outcome('stale')).to.equal('unknown');
    expect(await directory.lookup(recipient('moved'))).to.include({ mailboxId: 'mbx_9' });
    expect(await outcome('missing')).to.equal('mailbox');
    expect(await outcome('x', 'old.test')).to.equal('foreign');
  });

  it('keeps an entry that was created while a rebuild read older rows', async () => {
    const source = sourceOf(new Map([['box@one.test', 'mbx_old']]));
    const slow: RecipientSource = {
      ...source,
      async *pages() {
        for await (const page of source.pages()) {
          await directory.add({ address: 'box@one.test', mailboxId: 'mbx_new' });
          yield page;
        }
      },
      find: async () => [{ address: 'box@one.test', mailboxId: 'mbx_new' }],
    };
    await directory.rebuild(slow);
    expect(await directory.lookup(recipient('box'))).to.include({ mailboxId: 'mbx_new' });
  });

  it('compares many entries', async () => {
    const truth = new Map(
      Array.from({ length: 3000 }, (_, n) => [`box-${n}@one.test`, `mbx_${n}`]),
    );
    expect(await directory.compare(sourceOf(truth))).to.equal(3000);
    expect(await directory.compare(sourceOf(new Map()))).to.equal(3000);
  });
});
