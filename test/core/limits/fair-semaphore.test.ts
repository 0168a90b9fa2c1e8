import { expect } from 'chai';
import { openFairSemaphore } from '../../../core/limits/fair-semaphore.ts';

describe('the permits of a fair semaphore', () => {
  const acquireAll = (semaphore: ReturnType<typeof openFairSemaphore>, owner: string) => {
    let acquired = 0;
    while (semaphore.acquire(owner)) acquired += 1;
    return acquired;
  };

  it('are left to others, however many one owner wants', () => {
    const semaphore = openFairSemaphore(20);
    expect(['a', 'b', 'c', 'd'].map((owner) => acquireAll(semaphore, owner))).to.deep.equal([
      10, 5, 3, 1,
    ]);
    expect(semaphore.heldBy('b')).to.equal(5);
  });

  it('are acquired up to their number', () => {
    const semaphore = openFairSemaphore(2);
    expect(['a', 'a', 'b', 'c'].map(semaphore.acquire)).to.deep.equal([true, false, true, false]);
    semaphore.release('a');
    expect([semaphore.acquire('c'), semaphore.heldBy('a')]).to.deep.equal([true, 0]);
  });
});
