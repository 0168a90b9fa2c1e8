import { expect } from 'chai';
import { newId } from '../../core/ids.js';
import { type BlobStore } from '../../core/blobs.js';
import { AppError } from '../../core/errors.js';
import { type RawMail, openRawMail } from '../../core/raw-mail.js';
import { type TestContext, openTestContext } from '../support/context.js';

describe('raw mail', () => {
  let test: TestContext;
  let rawMail: RawMail;

  beforeEach(async () => {
    test = await openTestContext({ INGEST_MAX_QUEUED_BYTES: '2000000' });
    ({ rawMail } = test.context);
  });
  afterEach(() => test.close());

  const put = async (size: number) => {
    const id = newId('ingest');
    const bytes = Buffer.alloc(size, 0xe9);
    return {
      id,
      bytes,
      reference: await rawMail.put(id, [bytes.subarray(0, 1), bytes.subarray(1)], size),
    };
  };

  it('keeps up to 1 MiB in Redis and more in the blob store', async () => {
    for (const [size, place] of [
      [1_048_576, 'redis'],
      [1_048_577, 'blob'],
    ] as const) {
      const { id, bytes, reference } = await put(size);
      expect(reference.in).to.equal(place);
      expect((await rawMail.get(id, reference))?.equals(bytes)).to.equal(true);
    }
  });

  it('leaves room in the blob store for the attachments of all that waits', async () => {
    const { context } = test;
    let room = 0;
    const blobs = Object.create(context.blobs, { room: { value: async () => room } }) as BlobStore;
    const tight = openRawMail(context.redis, test.config.redisPrefix, blobs, Infinity);
    const accept = (size: number) => tight.put(newId('ingest'), [Buffer.alloc(size)], size);
    room = 4_000_000;
    await accept(2_000_000);
    const refusal = await accept(1_500_000).catch((error: unknown) => error);
    expect(refusal).to.be.instanceOf(AppError).with.property('code', 'unavailable');
    await accept(1_000_000); // beside its job
    room = 6_000_000;
    await accept(1_500_000);
  });

  it('is full while more bytes wait than allowed, and not after they are settled', async () => {
    const first = await put(1_500_000);
    expect(await rawMail.isFull()).to.equal(false);
    const second = await put(1_000_000);
    expect(await rawMail.isFull()).to.equal(true);
    await rawMail.settle(first.id);
    await rawMail.settle(first.id);
    expect(await rawMail.isFull()).to.equal(false);
    await rawMail.settle(second.id);
    expect(await rawMail.get(second.id, second.reference)).to.equal(null);
    expect(await test.context.redis.get(`${test.config.redisPrefix}:raw:bytes`)).to.equal('0');
  });

  it('counts quarantined mail apart, as much of it as may wait, and forgets it once settled', async () => {
    const first = await put(1_000_000);
    const second = await put(1_000_001);
    expect(await rawMail.isFull()).to.equal(true);
    expect(await rawMail.setAside(first.id)).to.equal(1_000_000);
    expect(await rawMail.setAside(first.id), 'once').to.equal(1_000_000);
    expect(await rawMail.isFull()).to.equal(false);
    expect((await rawMail.get(first.id, first.reference))?.length).to.equal(1_000_000);
    expect(await rawMail.setAside(second.id)).to.equal(2_000_001);
    expect(await rawMail.isFull(), 'of quarantined mail').to.equal(true);
    await rawMail.settle(second.id);
    expect(await rawMail.isFull()).to.equal(false);
    await rawMail.settle(first.id);
    expect(await rawMail.setAside(newId('ingest')), 'of nothing').to.equal(0);
    expect(await test.context.redis.get(`${test.config.redisPrefix}:raw:bytes`)).to.equal('0');
  });

  it('names what has waited since before a time', async () => {
    const { id } = await put(10);
    const named = async (time: number) => {
      const ids: string[] = [];
      for await (const page of rawMail.waitingSince(time)) ids.push(...page);
      return ids;
    };
    expect(await named(Date.now() + 1000)).to.deep.equal([id]);
    expect(await named(Date.now() - 60_000)).to.deep.equal([]);
  });
});
