import { expect } from 'chai';
import { Assembly, type Pieces, sendPieces } from '../../../core/mime/pieces.ts';

const MOST = 256 * 1024;

/** Sends the value, and puts it together again. */
async function pass(value: unknown) {
  const assembly = new Assembly();
  const sent: number[] = [];
  const rest = await sendPieces(value, (message: Pieces) => {
    sent.push(message.pieces.reduce((sum, { part }) => sum + part.length, 0));
    assembly.add(message);
    return Promise.resolve();
  });
  const inRest = JSON.stringify([rest.value]).length;
  return { received: assembly.finish(rest), sent, inRest };
}

describe('values that are sent in pieces', () => {
  it('arrive as they were', async () => {
    const long = `${'ä\u{1f600}'.repeat(300_000)}\ud800`;
    const bytes = Buffer.alloc(1_000_000, 'bytes');
    const values = [
      ...[null, 'short', long, bytes, [], {}, 7, undefined],
      { text: long, at: new Date(7), inner: [{ bytes }, 'x', { deep: { long } }], none: null },
      [Buffer.from('a'), 'b'.repeat(5000), Buffer.alloc(5000, 1)],
    ];
    for (const value of values) expect((await pass(value)).received).to.deep.equal(value);
  });

  it('are sent by 256 KiB, however their content is divided', async () => {
    const values = [
      'x'.repeat(3_000_000),
      Buffer.alloc(3_000_000),
      Array.from({ length: 300 }, () => ({ text: 'x'.repeat(10_000) })),
    ];
    for (const value of values) {
      const { sent, inRest } = await pass(value);
      expect(Math.max(...sent)).to.be.most(MOST);
      expect(sent.reduce((sum, length) => sum + length)).to.equal(3_000_000);
      expect(inRest).to.be.below(10_000);
    }
  });
});
