import { expect } from 'chai';
import { openShare } from '../../core/share.js';

describe('a share of places', () => {
  it('is taken up to its number, and sends others away for longer the more they are', () => {
    const share = openShare(2);
    expect([share.enter('a'), share.enter('b')]).to.deep.equal([null, null]);
    expect(share.enter('c')).to.equal(205);
    expect(share.enter('c'), 'once more').to.equal(205);
    expect(share.enter('d')).to.equal(210);
    for (let n = 0; n < 3000; n += 1) share.enter(`${n}`);
    expect(share.enter('e')).to.equal(10_000);
    share.leave();
    expect(share.enter('c')).to.equal(null);
    expect(share.isAwaited('c')).to.equal(false);
    expect(share.isAwaited('d')).to.equal(true);
  });

  it('forgets who does not come back', () => {
    let now = 0;
    const share = openShare(0, () => now);
    share.enter('lost');
    now = 30_001;
    expect(share.enter('other')).to.equal(205);
    expect(share.isAwaited('lost')).to.equal(false);
  });
});
