import { expect } from 'chai';
import { applyPerformancePatches } from '../../../haraka-plugin/patches/apply.ts';

describe('The performance patches of Haraka', () => {
  const patched = () => {
    const kept: unknown[] = [];
    const rcpt_count = () => ({ accept: 0, tempfail: 0, reject: 0 });
    const transaction = { rcpt_count: rcpt_count(), results: kept };
    const connection = {
      rcpt_count: rcpt_count(),
      transaction,
      rcpt_incr: (recipient: unknown, action: unknown, text: unknown, code: unknown) =>
        kept.push([recipient, action, text, code]),
    };
    const utils = { indexOfLF: (bytes: Buffer, max?: number) => max ?? bytes.length };
    applyPerformancePatches({ version: '0.0.0', connection: connection as never, utils });
    return { kept, utils, connection: connection as unknown as Haraka.Connection };
  };

  it('count a recipient without storing it', () => {
    const { kept, connection } = patched();
    const recipient = { address: 'a@acme.test', format: () => '<a@acme.test>' };
    for (let i = 0; i < 3; i += 1) connection.rcpt_incr(recipient, 'reject');
    connection.transaction = null;
    connection.rcpt_incr(recipient, 'accept');
    expect(connection.rcpt_count).to.deep.equal({ accept: 1, tempfail: 0, reject: 3 });
    expect(kept).to.deep.equal([]);
  });

  for (const [bytes, max, at] of [
    ['a\r\nb\n', undefined, 2],
    ['a\r\nb\n', 3, 2],
    ['a\r\nb\n', 2, -1],
    ['abc', 2, -1],
    ['', undefined, -1],
  ] as const) {
    it(`find the line feed of ${JSON.stringify(bytes)} below ${max ?? 'any length'} at ${at}`, () => {
      expect(patched().utils.indexOfLF(Buffer.from(bytes), max)).to.equal(at);
    });
  }
});
