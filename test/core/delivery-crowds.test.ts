import { expect } from 'chai';
import { openDeliveryCrowds } from '../../core/delivery-crowds.js';

describe('crowds of deliveries', () => {
  it('are one for each kind of call in a workspace', () => {
    const crowds = openDeliveryCrowds(() => 0);
    const crowd = crowds.join('wsp_a', 'trial');
    crowd.line.endsAt = 1000;
    expect(crowds.join('wsp_a', 'trial')).to.equal(crowd);
    for (const other of [crowds.join('wsp_a', 'troubled'), crowds.join('wsp_b', 'trial')]) {
      expect(other).not.to.equal(crowd);
    }
    expect(crowds.waitingIn('wsp_a')[0]).to.equal(crowd.waiting);
  });

  it('are forgotten once nobody waits and their line is over', () => {
    let time = 0;
    const crowds = openDeliveryCrowds(() => time);
    for (let n = 0; n < 1000; n += 1) {
      time += 100;
      crowds.join(`wsp_${n}`, 'proven').line.endsAt = time + 1000;
    }
    expect(crowds.size).to.be.within(10, 11);
  });
});
