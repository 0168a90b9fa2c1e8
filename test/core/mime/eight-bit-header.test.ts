import { expect } from 'chai';
import { headerFields } from '../../../core/messages/read-header.ts';
import { parseMail } from '../../../core/mime/parse-mail.ts';

const utf8 = (text: string) => Buffer.from(text).toString('latin1');

/** Parses header fields given as one character per byte. */
const parseFields = (...fields: string[]) =>
  parseMail(Buffer.from([...fields, '', 'x'].join('\r\n'), 'latin1'));

/** The raw field and its decoded text. */
const TEXTS: Record<string, [field: string, text: string]> = {
  'Latin-1 in a word of Latin-1': [
    '=?iso-8859-1?Q?Die_Hasen_und_die_Fr\xf6sche?=',
    'Die Hasen und die Frösche',
  ],
  'UTF-8 alone': [utf8('Frösche 🐸'), 'Frösche 🐸'],
  'windows-1252 alone': ['Fr\xf6sche \x80', 'Frösche €'],
  'UTF-8 beside windows-1252': [`${utf8('ö')} \xf6`, 'ö ö'],
  'UTF-8 in a word of Latin-1': [`=?iso-8859-1?Q?=E4_${utf8('Frösche')}?=`, 'ä Frösche'],
  'the end of a UTF-8 character in a word': ['=?utf-8?Q?Fr=C3\xb6sche?=', 'Frösche'],
  'windows-1252 in a word of UTF-8': ['=?utf-8?Q?Fr\xf6sche_=C3=A4?=', 'Frösche ä'],
  'windows-1252 in a word of ASCII': ['=?us-ascii?Q?Fr\xf6sche?=', 'Frösche'],
  'windows-1252 in a word of no known character set': ['=?x-none?Q?Fr\xf6sche?=', 'Frösche'],
  'KOI8-R in a word of KOI8-R': ['=?koi8-r?Q?\xf0=D2\xc9?=', 'При'],
  'GB2312 in a word of GB2312': ['=?gb2312?Q?\xc4\xe3\xba\xc3?=', '你好'],
  'beside a word of encoding B': ['=?iso-8859-1?B?5A==?= \xf6', 'ä ö'],
};

const JIS = '\x1b$B$($"$,$3$<\x1b(B';

/** The character set of the body, the raw bytes of a name, and the name. */
const RAW_NAMES: Record<string, [charset: string, raw: string, name: string]> = {
  'ISO-2022-JP, whose bytes are specials': ['us-ascii', JIS, 'えあがこぜ'],
  'ISO-2022-JP beside ASCII': ['iso-2022-jp', `Shop ${JIS}`, 'Shop えあがこぜ'],
  'Big5 with 5C last': ['big5', '\xa6\xa8\xa5\x5c', '成功'],
  'Shift_JIS with 5C inside': ['shift_jis', '\x95\x5c\x8e\xa6', '表示'],
  GBK: ['gb2312', '\xcc\xef\xd6\xd0', '田中'],
  'windows-1251': ['windows-1251', '\xc7\xe0\xea\xe0\xe7', 'Заказ'],
  'UTF-8 in spite of the set': ['big5', utf8('Jörg'), 'Jörg'],
  'windows-1252 in spite of the set': ['gb2312', 'J\xf6', 'Jö'],
};

/** A0, the last byte of this letter, is a space in Latin-1. */
const AT_END = utf8('Voilà');

describe('8-bit bytes in header fields', () => {
  for (const [what, [field, text]] of Object.entries(TEXTS)) {
    it(`are decoded in subjects, names and file names: ${what}`, async () => {
      const { subject, from, attachments } = await parseFields(
        `Subject: ${field}`,
        `From: ${field} <a@x.test>`,
        'Content-Type: application/pdf',
        `Content-Disposition: attachment; filename="${field}"`,
      );
      expect(subject, 'subject').to.equal(text);
      expect(from, 'from').to.deep.equal({ address: 'a@x.test', name: text });
      expect(attachments[0]?.filename, 'file name').to.equal(text);
    });
  }

  it('are decoded in quoted names and in the name of a Content-Type', async () => {
    const { from, attachments } = await parseFields(
      'From: "Fr\xf6hlich, J\xf6rg" <a@x.test>',
      'Content-Type: application/pdf; name="Fr\xf6sche.pdf"',
    );
    expect(from?.name).to.equal('Fröhlich, Jörg');
    expect(attachments[0]?.filename).to.equal('Frösche.pdf');
  });

  it('are decoded in extended parameter values', async () => {
    const values = {
      "iso-8859-1''Fr\xf6sche%E4.pdf": 'Fröscheä.pdf',
      [`utf-8''${utf8('ö')}%C3%A4_a=.pdf`]: 'öä_a=.pdf',
      "utf-8'de'Fr\xf6sche.pdf": 'Frösche.pdf',
    };
    for (const [value, name] of Object.entries(values)) {
      const { attachments } = await parseFields(
        'Content-Type: application/pdf',
        `Content-Disposition: attachment; filename*=${value}`,
      );
      expect(attachments[0]?.filename).to.equal(name);
    }
  });

  it('are kept at the end of a field', async () => {
    const word = '=?utf-8?Q?Voil=C3=A0?=';
    const { subject, attachments } = await parseFields(
      `Subject: ${AT_END}`,
      'Content-Type: application/pdf',
      `Content-Location: ${AT_END}`,
      `Content-Disposition: attachment; filename=${AT_END}`,
    );
    expect(subject).to.equal('Voilà');
    expect(attachments[0]).to.include({ filename: 'Voilà', contentId: 'Voilà' });
    expect((await parseFields(`Subject: ${word}`)).subject).to.equal('Voilà');
    const raw = Buffer.from(`Subject: ${AT_END}\r\nX-A: ${AT_END} \t\r\n\r\n`, 'latin1');
    expect(headerFields(raw).map(({ value }) => value)).to.deep.equal(['Voilà', 'Voilà']);
  });

  for (const [what, [charset, raw, name]] of Object.entries(RAW_NAMES)) {
    it(`are of the set that a text declares: ${what}`, async () => {
      for (const written of [raw, `"${raw}"`]) {
        const fields = [`Subject: ${raw}`, `From: ${written} <a@x.test>, <b@x.test>`];
        const type = `Content-Type: text/plain; charset=${charset}`;
        const part = ['Content-Type: multipart/mixed; boundary=b', '', '--b', type];
        for (const content of [[type], part]) {
          const { subject, from } = await parseFields(...fields, ...content);
          expect([subject, from]).to.deep.equal([name, { address: 'a@x.test', name }]);
          const bytes = Buffer.from([...fields, ...content, '', 'x'].join('\r\n'), 'latin1');
          expect(headerFields(bytes)[0]?.value).to.equal(name);
        }
      }
    });
  }

  it('are of the set of the encoded words in other fields', async () => {
    const { from } = await parseFields(
      'From: \x8eR\x93c <a@x.test>',
      'Subject: =?shift_jis?Q?=95=5C?=',
    );
    expect(from).to.deep.equal({ address: 'a@x.test', name: '山田' });
  });

  it('do not turn a name into an address or hide one', async () => {
    const { to } = await parseFields(
      'To: =?iso-8859-1?Q?=3Ca=40x.test=3E_\xf6?=, =?utf-8?Q?J\xf6 <b@x.test>, \xf6?= <c@x.test>',
    );
    expect(to).to.deep.equal(['b@x.test', 'c@x.test']);
  });
});
