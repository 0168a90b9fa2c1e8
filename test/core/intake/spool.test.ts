import { expect } from 'chai';
import { newId } from '../../../core/ids.ts';
import { type BlobStore } from '../../../core/blobs/blob-store.ts';
import { AppError } from '../../../core/errors.ts';
import { type MailSpool, openMailSpool, rawReference } from '../../../core/intake/spool.ts';
import { service } from '../../support/service.ts';

describe('mail spool', () => {
  const test = service({ env: { INGEST_MAX_QUEUED_BYTES: '2000000' } });
  let mailSpool: MailSpool;
  beforeEach(() => {
    ({ mailSpool } = test.context);
  });

  const put = async (size: number) => {
    const id = newId('ingest');
    const bytes = Buffer.alloc(size, 0xe9);
    const chunks = [bytes.subarray(0, 1), bytes.subarray(1)];
    await mailSpool.put([{ ingestId: id, chunks, size }]);
    return { id, bytes, reference: rawReference(id, size) };
  };

  it('stores up to 1 MiB in Redis and more in the blob store', async () => {
    for (const [size, place] of [
      [1_048_576, 'redis'],
      [1_048_577, 'blob'],
    ] as const) {
      const { id, bytes, reference } = await put(size);
      expect(reference.in).to.equal(place);
      expect((await mailSpool.get(id, reference))?.equals(bytes)).to.equal(true);
    }
  });

  it('reserves space in the blob store for the attachments of waiting mail', async () => {
    const { context } = test;
    let room = 0;
    const blobs = Object.create(context.blobs, { room: { value: async () => room } }) as BlobStore;
    const tight = openMailSpool(context.redis, test.config.redisPrefix, blobs, Infinity);
    const accept = (size: number) =>
      tight.put([{ ingestId: newId('ingest'), chunks: [Buffer.alloc(size)], size }]);
    room = 4_000_000;
    await accept(2_000_000);
    const refusal = await accept(1_500_000).catch((error: unknown) => error);
    expect(refusal).to.be.instanceOf(AppError).with.property('code', 'unavailable');
    await accept(1_000_000); // in Redis
    room = 6_000_000;
    await accept(1_500_000);
  });

  it('is full while more bytes wait than allowed', async () => {
    const first = await put(1_500_000);
    expect(await mailSpool.room.isFull('wsp_any')).to.equal(false);
    const second = await put(1_000_000);
    expect(await mailSpool.room.isFull('wsp_any')).to.equal(true);
    await mailSpool.ack([{ ingestId: first.id }]);
    await mailSpool.ack([{ ingestId: first.id }]);
    expect(await mailSpool.room.isFull('wsp_any')).to.equal(false);
    await mailSpool.ack([{ ingestId: second.id }]);
    expect(await mailSpool.get(second.id, second.reference)).to.equal(null);
    expect(await test.context.redis.get(`${test.config.redisPrefix}:raw:bytes`)).to.equal('0');
  });

  it('counts quarantined mail separately, up to the same limit, until it is removed', async () => {
    const first = await put(1_000_000);
    const second = await put(1_000_001);
    expect(await mailSpool.room.isFull('wsp_any')).to.equal(true);
    expect(await mailSpool.quarantine({ ingestId: first.id })).to.equal(1_000_000);
    expect(await mailSpool.quarantine({ ingestId: first.id }), 'once').to.equal(1_000_000);
    expect(await mailSpool.room.isFull('wsp_any')).to.equal(false);
    expect((await mailSpool.get(first.id, first.reference))?.length).to.equal(1_000_000);
    expect(await mailSpool.quarantine({ ingestId: second.id })).to.equal(2_000_001);
    expect(await mailSpool.room.isFull('wsp_any'), 'of quarantined mail').to.equal(true);
    await mailSpool.ack([{ ingestId: second.id }]);
    expect(await mailSpool.room.isFull('wsp_any')).to.equal(false);
    await mailSpool.ack([{ ingestId: first.id }]);
    expect(await mailSpool.quarantine({ ingestId: newId('ingest') }), 'of nothing').to.equal(0);
    expect(await test.context.redis.get(`${test.config.redisPrefix}:raw:bytes`)).to.equal('0');
  });

  it('knows the load of each workspace, until its mail is stored or quarantined', async () => {
    const ids = [0, 1, 2].map(() => newId('ingest'));
    const put = (ingestId: string, loads: Record<string, number>) =>
      mailSpool.put([{ ingestId, chunks: [Buffer.from('x')], size: 1, loads }]);
    await put(ids[0]!, { wsp_a: 1000, wsp_b: 20 });
    await put(ids[1]!, { wsp_a: 500 });
    await put(ids[1]!, { wsp_a: 500 }); // as after a lost reply
    await put(ids[2]!, {});
    const present = async () => {
      const loads = ['wsp_a', 'wsp_b'].map((id) => mailSpool.largestLoad({ [id]: 0 }));
      return Promise.all(loads);
    };
    expect(await present()).to.deep.equal([1500, 20]);
    expect(await mailSpool.largestLoad({ wsp_a: 0, wsp_b: 0 })).to.equal(1500);
    expect(mailSpool.knownLoad({ wsp_b: 7 })).to.equal(27);
    expect(mailSpool.knownLoad({ wsp_c: 7 })).to.equal(7);
    for (let n = 0; n < 2; n += 1) {
      await mailSpool.quarantine({ ingestId: ids[0]! });
    }
    expect(await present()).to.deep.equal([500, 0]);
    await mailSpool.ack([{ ingestId: ids[0]! }]);
    expect(await present()).to.deep.equal([500, 0]);
    await mailSpool.ack([{ ingestId: ids[1]! }]);
    expect(await present()).to.deep.equal([0, 0]);
    const loads = `${test.config.redisPrefix}:raw:loads`;
    await test.context.redis.hset(loads, 'wsp_a', 7); // as an older version leaves it
    await mailSpool.ack([{ ingestId: ids[2]! }]); // the last one
    expect(await present()).to.deep.equal([0, 0]);
  });

  it('adds and takes the load of mails that are written together in one command', async () => {
    const { redis } = test.context;
    const changes = async () =>
      Number(/cmdstat_hincrby:calls=(\d+)/.exec(await redis.info('commandstats'))?.[1] ?? 0);
    const loadsOf = (n: number): Record<string, number> =>
      n === 0 ? { wsp_a: 1000, wsp_b: 20 } : { wsp_a: 100 };
    const mails = Array.from({ length: 10 }, (_, n) => ({
      ...{ ingestId: newId('ingest'), chunks: [Buffer.from('x')], size: 1 },
      loads: loadsOf(n),
    }));
    const before = await changes();
    await mailSpool.put(mails);
    expect(await mailSpool.largestLoad({ wsp_a: 0 })).to.equal(1900);
    expect(mailSpool.knownLoad({ wsp_a: 1, wsp_b: 0 })).to.equal(1901);
    await mailSpool.ack(mails.slice(1));
    expect(await mailSpool.largestLoad({ wsp_a: 0 })).to.equal(1000);
    expect(await mailSpool.largestLoad({ wsp_b: 0 })).to.equal(20);
    expect((await changes()) - before).to.equal(3);
  });

  it('recounts the bytes from the stored sizes', async () => {
    const { redis } = test.context;
    const key = (name: string) => `${test.config.redisPrefix}:raw:${name}`;
    await put(1_000_000);
    const second = await put(500_000);
    await mailSpool.quarantine({ ingestId: second.id });
    const correct = { waiting: 0, quarantined: 0, loads: 0 };
    expect(await mailSpool.recount()).to.deep.equal(correct);

    await redis.incrby(key('bytes'), 5_000_000);
    await redis.set(key('quarantined-bytes'), '-7');
    expect(await mailSpool.room.isFull('wsp_any')).to.equal(true);
    expect(await mailSpool.recount()).to.deep.equal({
      ...{ waiting: 5_000_000, quarantined: -500_007, loads: 0 },
    });
    expect(await mailSpool.room.isFull('wsp_any')).to.equal(false);
    expect(await redis.get(key('bytes'))).to.equal('1000000');
    expect(await redis.get(key('quarantined-bytes'))).to.equal('500000');
  });

  it('recounts the loads from those of waiting mail', async () => {
    const { redis } = test.context;
    const key = (name: string) => `${test.config.redisPrefix}:raw:${name}`;
    const [waits, held, removed] = ['wsp_a', 'wsp_b', 'wsp_c'].map((workspace) => ({
      ...{ ingestId: newId('ingest'), chunks: [Buffer.from('x')], size: 1 },
      loads: { [workspace]: 2 ** 41, wsp_d: 5 },
    }));
    await mailSpool.put([waits!, held!, removed!]);
    await mailSpool.quarantine(held!);
    expect((await mailSpool.recount())?.loads).to.equal(0);
    await redis.hset(key('loads'), { wsp_a: 3, wsp_old: 9 });
    await redis.hdel(key('loads'), 'wsp_d');
    // As an older version, which keeps no loads of mails, removes a mail.
    await redis.hdel(key('sizes'), removed!.ingestId);
    await redis.decr(key('bytes'));
    expect(await mailSpool.recount()).to.deep.equal({ waiting: 0, quarantined: 0, loads: 4 });
    expect(await redis.hgetall(key('loads'))).to.deep.equal({ wsp_a: `${2 ** 41}`, wsp_d: '5' });
    expect(await redis.hkeys(key('mail-loads'))).to.deep.equal([waits!.ingestId]);
    expect((await mailSpool.recount())?.loads).to.equal(0);
  });

  it('recounts correctly while mails are accepted, quarantined and removed', async () => {
    const correct = { waiting: 0, quarantined: 0, loads: 0 };
    const work = Array.from({ length: 200 }, async (_, n) => {
      const { id } = await put(100 + n);
      if (n % 3 === 0) await mailSpool.quarantine({ ingestId: id });
      if (n % 2 === 0) await mailSpool.ack([{ ingestId: id }]);
    });
    const recounts = Array.from({ length: 50 }, async (_, n) => {
      if (n > 0) await test.context.redis.ping();
      return mailSpool.recount();
    });
    await Promise.all(work);
    for (const drift of await Promise.all(recounts)) expect(drift).to.deep.equal(correct);
    expect(await mailSpool.recount()).to.deep.equal(correct);
  });

  it('lists mail that has waited since before a time', async () => {
    const { id } = await put(10);
    const named = async (time: number) => {
      const ids: string[] = [];
      for await (const page of mailSpool.waitingSince(time)) ids.push(...page);
      return ids;
    };
    expect(await named(Date.now() + 1000)).to.deep.equal([id]);
    expect(await named(Date.now() - 60_000)).to.deep.equal([]);
  });
});
