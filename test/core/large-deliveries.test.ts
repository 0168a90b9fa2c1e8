import { expect } from 'chai';
import { type LargeDeliveries, openLargeDeliveries } from '../../core/large-deliveries.js';

describe('large deliveries', () => {
  let large: LargeDeliveries;
  let ends: (() => void)[];
  beforeEach(() => {
    large = openLargeDeliveries();
    ends = [];
  });

  /** Takes a place until its end is called; or tells when to ask again. */
  const take = async (webhookId: string): Promise<number | null> => {
    const before = ends.length;
    const admitted = large.admit(webhookId, () => new Promise<void>((end) => ends.push(end)));
    if (ends.length > before) return null;
    const answer = await admitted;
    return 'laterMs' in answer ? answer.laterMs : null;
  };

  it('have two places for one webhook and four in all', async () => {
    for (const id of ['a', 'a', 'b', 'b']) expect(await take(id), id).to.equal(null);
    expect(await take('c')).to.be.at.least(250);
  });

  it('leave two of them to the others', async () => {
    expect(await take('a')).to.equal(null);
    expect(await take('a')).to.equal(null);
    expect(await take('a')).to.be.at.least(250);
    expect(await take('b')).to.equal(null);
  });

  it('are asked to come again later the more of them there are', async () => {
    for (const id of ['a', 'a', 'a']) await take(id);
    expect(await take('a')).to.be.above(300);
  });

  it('give their place back, also when they fail', async () => {
    const fault = new Error('no');
    const failed = await large
      .admit('a', () => Promise.reject(fault))
      .catch((error: unknown) => error);
    expect(failed).to.equal(fault);
    for (const id of ['a', 'a']) expect(await take(id)).to.equal(null);
    ends[0]!();
    await new Promise((resolve) => setImmediate(resolve));
    expect(await take('a')).to.equal(null);
  });
});
