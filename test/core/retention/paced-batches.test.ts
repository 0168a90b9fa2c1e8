import { expect } from 'chai';
import { LONG_PAUSE_RATIO, inPacedBatches } from '../../../core/retention/purge.ts';

describe('paced batches', () => {
  /** The requested sizes if each row holds the lock for this long. */
  const sizes = async (rows: number, msARow: number) => {
    const limits: number[] = [];
    let left = rows;
    const total = await inPacedBatches(25, async (limit) => {
      limits.push(limit);
      const count = Math.min(limit, left);
      left -= count;
      return { count, heldMs: count * msARow };
    });
    expect(total).to.equal(rows);
    return limits;
  };

  it('grow up to a limit while rows are removed quickly', async () => {
    const limits = await sizes(5000, 0.001);
    expect(limits.slice(0, 4)).to.deep.equal([20, 40, 80, 160]);
    expect(Math.max(...limits)).to.equal(1000);
  });

  it('shrink until a batch holds the lock for an acceptable time', async () => {
    const limits = await sizes(100, 2);
    expect(limits[0]).to.equal(20);
    expect(Math.max(...limits.slice(1)) * 2).to.be.lessThan(50);
  });

  it('leave three quarters of the time to others if they are not urgent', async () => {
    const began = performance.now();
    let batches = 0;
    await inPacedBatches(
      25,
      async (limit) => {
        batches += 1;
        return { count: batches < 5 ? limit : 0, heldMs: 10 };
      },
      LONG_PAUSE_RATIO,
    );
    expect(performance.now() - began).to.be.at.least(4 * 29);
  });

  it('end with the first that is not full', async () => {
    expect(await sizes(0, 1)).to.deep.equal([20]);
  });
});
