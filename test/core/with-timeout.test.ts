import { expect } from 'chai';
import { EventEmitter, once } from 'node:events';
import { withTimeout } from '../../core/with-timeout.ts';

describe('work with a time limit', () => {
  it('returns its value or its error', async () => {
    expect(await withTimeout(1000, async () => 'value')).to.equal('value');
    const error = await withTimeout(1000, () => Promise.reject(new Error('no'))).catch(String);
    expect(error).to.equal('Error: no');
  });

  it('can check that it is late', async () => {
    const gate = new EventEmitter();
    let late: Promise<boolean> | undefined;
    const error = await withTimeout(1, (isLate) => {
      late = once(gate, 'open').then(() => isLate());
      return late;
    }).catch(String);
    gate.emit('open');
    expect(error).to.equal('Error: timed out after 1 ms');
    expect(await late).to.equal(true);
  });
});
