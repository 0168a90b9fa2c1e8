import { expect } from 'chai';
import { openFairPlaces } from '../../../core/limits/fair-slots.js';

describe('fair places', () => {
  const takeAll = (places: ReturnType<typeof openFairPlaces>, owner: string) => {
    let taken = 0;
    while (places.take(owner)) taken += 1;
    return taken;
  };

  it('leave places to others, however many one owner wants', () => {
    const places = openFairPlaces(20);
    expect(['a', 'b', 'c', 'd'].map((owner) => takeAll(places, owner))).to.deep.equal([
      10, 5, 3, 1,
    ]);
    expect(places.heldBy('b')).to.equal(5);
  });

  it('are taken up to their number', () => {
    const places = openFairPlaces(2);
    expect(['a', 'a', 'b', 'c'].map(places.take)).to.deep.equal([true, false, true, false]);
    places.giveBack('a');
    expect([places.take('c'), places.heldBy('a')]).to.deep.equal([true, 0]);
  });
});
