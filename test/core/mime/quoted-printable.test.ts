import { expect } from 'chai';
import fc from 'fast-check';
import { decodeTransfer } from '../../../core/mime/canonical/transfer-encoding.ts';
import { parseMail } from '../../../core/mime/parse-mail.ts';

const decode = (text: string) =>
  decodeTransfer(Buffer.from(text, 'latin1'), 'quoted-printable').toString('latin1');

/** RFC 2045 section 6.7 implemented literally, in quadratic time. */
function decodeSlowly(text: string): string {
  return text
    .replace(/[\t ]+$/gm, '')
    .replace(/=(?:\r?\n|$)/g, '')
    .replace(/=([\da-f]{2})/gi, (_, digits: string) => String.fromCharCode(parseInt(digits, 16)));
}

/** CPU time for 1 MB. Linear time takes about 0.1 s, quadratic time more than a minute. */
const CPU_MS = 2000;

describe('quoted-printable', () => {
  it('decodes escapes and soft line breaks, and keeps invalid sequences', () => {
    expect(decode('a=C3=A4=20=\r\nb \t\r\nc = \nd=e4=Z=4')).to.equal('a\xc3\xa4 b\r\nc d\xe4=Z=4');
    expect(decode('soft=')).to.equal('soft');
    expect(decode('a=\r\r\n=\rb')).to.equal('a=\r\r\n=\rb');
    expect(decode('=C=\r\n3 ')).to.equal('\xc3');
    expect(decode('')).to.equal('');
  });

  it('decodes any text like the literal implementation', () => {
    const piece = fc.constantFrom('=', ' ', '\t', '\r', '\n', '=\r\n', '=C3', '3', 'a', '\xe4');
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
        expect(decode(pieces.join(''))).to.equal(decodeSlowly(pieces.join('')));
      }),
      { numRuns: 2000 },
    );
  });

  it('takes linear time for spaces inside a line', async () => {
    const spaces = ' '.repeat(1_000_000);
    const began = process.cpuUsage();
    const { text, parseError } = await parseMail(
      Buffer.from(`Content-Transfer-Encoding: quoted-printable\r\n\r\n${spaces}x`),
    );
    const { user, system } = process.cpuUsage(began);
    expect([text, parseError]).to.deep.equal([`${spaces}x`, null]);
    expect((user + system) / 1000).to.be.lessThan(CPU_MS);
  });
});
