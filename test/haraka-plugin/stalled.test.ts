import { expect } from 'chai';
import type { Envelope } from '../../haraka-plugin/envelope.js';
import { RawSink } from '../../haraka-plugin/raw-sink.js';
import { isStalled } from '../../haraka-plugin/stalled.js';

const MINUTE = 60_000;

describe('a mail that arrives too slowly', () => {
  const sending = (bytes: number, more: Partial<Envelope> = {}): Envelope => {
    const sink = new RawSink();
    sink.addBodyLines(Buffer.alloc(bytes));
    return { sink, recipients: [], dataSince: 0, isWhole: false, ingestId: null, ...more };
  };

  it('has a minute in which nothing is asked of it', () => {
    expect(isStalled(sending(0), MINUTE)).to.equal(false);
    expect(isStalled(sending(0), MINUTE + 1)).to.equal(true);
  });

  it('needs 1,000 bytes a second from then on', () => {
    expect(isStalled(sending(119_999), 2 * MINUTE)).to.equal(true);
    expect(isStalled(sending(120_000), 2 * MINUTE)).to.equal(false);
  });

  it('has half an hour at any rate', () => {
    expect(isStalled(sending(20_000_000), 30 * MINUTE)).to.equal(false);
    expect(isStalled(sending(20_000_000), 30 * MINUTE + 1)).to.equal(true);
  });

  it('is not meant before DATA or after the final dot', () => {
    expect(isStalled(sending(0, { dataSince: null }), 60 * MINUTE)).to.equal(false);
    expect(isStalled(sending(0, { isWhole: true }), 60 * MINUTE)).to.equal(false);
  });
});
