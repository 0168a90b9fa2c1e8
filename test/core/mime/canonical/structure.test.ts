import { expect } from 'chai';
import { type MimePart, leavesOf, partBytes } from '../../../../core/mime/canonical/part.ts';
import { readStructure } from '../../../../core/mime/canonical/structure.ts';
import { partTree } from '../../../../core/mime/part-tree.ts';
import { HOSTILE_SHAPES } from '../../../support/mail/hostile-shapes.ts';

const lines = (...text: string[]) => Buffer.from(text.join('\r\n'), 'latin1');

/** Section, type and bytes of each leaf. */
const leaves = (raw: Buffer) =>
  leavesOf(readStructure(raw).root).map(
    (part) => [part.section, part.type, partBytes(part).toString('latin1')] as const,
  );

describe('the parts of a mail', () => {
  it('have the section numbers of IMAP', () => {
    const raw = lines(
      'Content-Type: multipart/mixed; boundary=o',
      ...['', '--o', 'Content-Type: multipart/alternative; boundary=i'],
      ...['', '--i', '', 'text', '--i', 'Content-Type: text/html', '', '<p>', '--i--'],
      ...['--o', 'Content-Type: application/pdf', 'Content-Transfer-Encoding: base64', '', 'YQ=='],
      '--o--',
    );
    expect(leaves(raw)).to.deep.equal([
      ['1.1', 'text/plain', 'text'],
      ['1.2', 'text/html', '<p>'],
      ['2', 'application/pdf', 'a'],
    ]);
    const { root } = readStructure(raw);
    const [inner = root] = root.children;
    expect(partBytes(inner).toString('latin1')).to.match(/^--i\r\n[^]*<p>\r\n--i--$/);
    expect([root.section, root.children.map(({ section }) => section)]).to.deep.equal([
      '',
      ['1', '2'],
    ]);
    expect(leaves(lines('Subject: s', '', 'b'))).to.deep.equal([['1', 'text/plain', 'b']]);
  });

  it('end at a delimiter of an outer multipart', () => {
    const raw = lines(
      'Content-Type: multipart/mixed; boundary=o',
      ...['', '--o', 'Content-Type: multipart/alternative; boundary=i'],
      ...['', '--i', '', 'one', '--o \t', 'Content-Type: x/y', '', 'two', '--o--'],
    );
    expect(leaves(raw)).to.deep.equal([
      ['1.1', 'text/plain', 'one'],
      ['2', 'x/y', 'two'],
    ]);
  });

  it('are found without a usable boundary, and the mail is text without delimiters', () => {
    const parts = ['', '--B1', 'Content-Type: text/html', '', '<p>', '--B1--'];
    for (const parameter of ['', '; boundary=""', '; boundary=b1', '; boundary=other']) {
      const field = `Content-Type: multipart/mixed${parameter}`;
      expect(leaves(lines(field, ...parts)), field).to.deep.equal([['1', 'text/html', '<p>']]);
      const text = [['1', 'text/plain', 'hello']];
      expect(leaves(lines(field, '', 'hello')), field).to.deep.equal(text);
    }
  });

  it('are found in a multipart that is encoded, and in one that only says so', () => {
    const inner = '--b\r\nContent-Type: text/html\r\n\r\n<p>\r\n--b--';
    const head = 'Content-Type: multipart/mixed; boundary=b';
    const encodings = {
      base64: [inner, Buffer.from(inner).toString('base64')],
      'quoted-printable': [inner, inner.replace('text/html', 'text/html; x=3Dy')],
    };
    for (const [encoding, bodies] of Object.entries(encodings)) {
      for (const body of bodies) {
        const raw = lines(head, `Content-Transfer-Encoding: ${encoding}`, '', body);
        expect(leaves(raw), encoding).to.deep.equal([['1', 'text/html', '<p>']]);
      }
    }
  });

  it('are messages in a digest, which are not read', () => {
    const raw = lines(
      'Content-Type: multipart/digest; boundary=b',
      '',
      '--b',
      '',
      'To: a',
      '',
      'x',
    );
    expect(leaves(raw)).to.deep.equal([['1', 'message/rfc822', 'To: a\r\n\r\nx']]);
  });

  it('tell their fields', () => {
    const raw = lines(
      'Content-Type: (a) Text/Calendar (b); method=REQUEST; charset="iso-8859-1"',
      "Content-Disposition: inline; filename*=utf-8''%C3%A4.ics",
      'Content-ID: (x) < a@b >',
      'Content-Description: =?utf-8?Q?=C3=A4?=',
      ...['', 'x'],
    );
    const { root } = readStructure(raw);
    const expected: Partial<MimePart> = {
      type: 'text/calendar',
      charset: 'iso-8859-1',
      disposition: 'inline',
      filename: 'ä.ics',
      contentId: 'a@b',
      description: 'ä',
    };
    expect(root).to.include(expected);
    expect(root.parameters.get('method')).to.equal('REQUEST');
  });

  it('are limited', () => {
    const raw = lines(
      'Content-Type: multipart/mixed; boundary=b',
      ...['', ...Array.from({ length: 20 }, (_, n) => `--b\r\n\r\n${n}`)],
    );
    const { root, fault } = readStructure(raw, { headerBytes: 100, parts: 11 });
    expect([root.children.length, fault]).to.deep.equal([10, 'more than 11 parts']);
    const long = lines(`X: ${'x'.repeat(200)}`, '', 'x');
    expect(() => readStructure(long, { headerBytes: 100, parts: 11 })).to.throw('header');
  });

  for (const read of [readStructure, partTree]) {
    it(`take linear time with ${read.name}, however they are nested`, () => {
      for (const [what, make] of Object.entries(HOSTILE_SHAPES)) {
        const raw = make(1e6);
        const began = process.cpuUsage();
        read(raw);
        const { user, system } = process.cpuUsage(began);
        expect((user + system) / 1000, what).to.be.lessThan(500);
      }
    });
  }
});
