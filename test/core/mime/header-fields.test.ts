import { expect } from 'chai';
import { MAX_ADDRESSES } from '../../../core/mime/canonical/address-field.ts';
import { headerFields } from '../../../core/messages/read-header.ts';
import { type Mail, parseInline, parseMail } from '../../../core/mime/parse-mail.ts';

const BYTES = 1_000_000;

/** CPU time for 1 MB. Linear time takes about 0.1 s, quadratic time more than a minute. */
const CPU_MS = 2000;

const times = (text: string, bytes = BYTES) => text.repeat(Math.floor(bytes / text.length));
const mailWith = (...fields: string[]) =>
  Buffer.from(['From: a@x.test', ...fields, '', 'body'].join('\r\n'), 'latin1');

async function parseWithinBound(raw: Buffer, what: string): Promise<Mail> {
  const began = process.cpuUsage();
  const mail = await parseMail(raw);
  const { user, system } = process.cpuUsage(began);
  expect((user + system) / 1000, what).to.be.lessThan(CPU_MS);
  return mail;
}

describe('a header that is slow to parse', () => {
  it('takes linear time for address lists, and the mail keeps its first addresses', async () => {
    const lists = {
      'nested groups': times('g:'),
      'short entries': times('a,'),
      'empty groups': times('g:;'),
      'nested groups with members': times('g:a <b@c.test>,'),
      'encoded entries': times('=?utf-8?B?PGFAYj4=?=, '),
      'nested groups in an encoded word': `=?utf-8?B?${Buffer.from(`<a@b.test>,${times('g:', 60_000)}`).toString('base64')}?=`,
      comments: times('(a)'),
      quotes: times('"'),
      'angle brackets': times('<'),
      backslashes: `"${times('\\"')}`,
      'quotes without an end in brackets': times('<"\\"> '),
    };
    for (const [what, list] of Object.entries(lists)) {
      const mail = await parseWithinBound(
        mailWith('Subject: s', `Cc: first@x.test, ${list}`),
        what,
      );
      expect(mail, what).to.include({ subject: 's', text: 'body' });
      expect(mail.cc[0], what).to.equal('first@x.test');
      expect(mail.cc.length, what).to.be.at.most(MAX_ADDRESSES);
    }
  });

  it('does not take a quote without an end for one in an address', async () => {
    const { to } = await parseMail(mailWith('To: <"c d"@z.test>, A <"a@x.test>, Bob <bob@y.test>'));
    expect(to).to.deep.equal(['"c d"@z.test', 'a@x.test', 'bob@y.test']);
  });

  it('takes linear time for lines, folds and parameters', async () => {
    const fields = {
      'a line without a colon, folded': `${times('x\r\n x')}\r\nSubject: s`,
      'CR alone': `Subject: x${times('\r')}x`,
      'folded Subject': `Subject: ${times('x\r\n ')}`,
      'encoded words': `Subject: ${times('=?utf-8?Q?=C3=A4?= ')}`,
      'unfinished encoded words': `Subject: ${times('=?utf-8?Q?')}`,
      'many Cc fields': times('Cc: a@x.test\r\n').slice(0, -2),
      'nested groups in many Cc fields': times(`Cc: ${times('g:', 10_000)}\r\n`).slice(0, -2),
      parameters: `Content-Type: text/plain${times(';a=b')}`,
      'a value without end': `Content-Type: text/plain; name="${times('\\"')}`,
      References: `References: ${times('<1@x.test> ')}`,
      comments: `Received: ${times('(')}`,
      'comments in the encoding': `Content-Transfer-Encoding: ${times('(')}`,
    };
    for (const [what, field] of Object.entries(fields)) {
      const mail = await parseWithinBound(mailWith(field), what);
      expect(mail.from?.address, what).to.equal('a@x.test');
      expect(mail.text, what).to.equal('body');
    }
  });

  it('takes linear time for the header of a part', async () => {
    const part = [
      '--b',
      `Cc: ${times('g:')}`,
      'Content-Type: text/plain',
      '',
      'of a part',
      '--b--',
      '',
    ];
    const raw = mailWith('Content-Type: multipart/mixed; boundary=b', '', ...part);
    expect(await parseWithinBound(raw, 'part')).to.include({ text: 'of a part', parseError: null });
  });

  it('is read up to its limit, and parseError names the truncated fields', async () => {
    const utf8 = '\xc3\xa4';
    const addresses = Array.from({ length: MAX_ADDRESSES + 5 }, (_, n) => `a${n}@x.test`);
    const mail = await parseMail(
      mailWith(`To: ${addresses.join(', ')}`, `Subject: x${utf8.repeat(100_000)}`, 'Cc: b@x.test'),
    );
    expect(mail.to).to.deep.equal(addresses.slice(0, MAX_ADDRESSES));
    expect(mail.subject).to.equal(`x${'ä'.repeat(64 * 1024 - 1)}`);
    expect(mail).to.deep.include({ cc: ['b@x.test'], text: 'body' });
    expect(mail.parseError).to.contain('these fields are truncated: to');
    const whole = await parseMail(mailWith(`To: ${addresses.slice(5).join(', ')}`));
    expect([whole.to.length, whole.parseError]).to.deep.equal([MAX_ADDRESSES, null]);
    const inFields = addresses.map((address) => `To: ${address}`);
    const many = await parseMail(mailWith(...inFields));
    expect(many.to).to.deep.equal(addresses.slice(0, MAX_ADDRESSES));
    expect(many.parseError).to.contain('these fields are truncated: to');
  });

  it('adds the members of a nested group to the outer group', async () => {
    const raw = mailWith('To: outer: a@x.test, inner: "b: c" <b@x.test>;, [d:e]@x.test, f@x.test');
    const mail = await parseMail(raw);
    expect(mail.to).to.deep.equal(['a@x.test', 'b@x.test', '[d:e]@x.test', 'f@x.test']);
    expect(await parseInline(raw)).to.deep.equal(mail);
  });
});

/** Lines that are no fields where a header is, and what of the mail shows them. */
const ODD_LINES: Record<string, [raw: string, shown: string[], where: 'text' | 'parseError']> = {
  'in place of the empty line': [
    'Subject: s\nStarting now\nstep 2\nX-Job-Id: 5\n\nend',
    ['Starting now step 2'],
    'parseError',
  ],
  'before a line that looks like a field': ['Hello,\nFrom: all\n\nx', ['Hello,'], 'parseError'],
  'below trace fields': ['Received: by x\nDear Bob\nTo: me\n\nx', ['Dear Bob'], 'parseError'],
  'in the header of a part': [
    'Content-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: text/html\nof it\nX-A: b\n\nx',
    ['of it'],
    'parseError',
  ],
  'with a NUL': ['Subject: s\na\0b\nTo: a@x.test\n\nx', ['a\ufffdb'], 'parseError'],
  'with a colon, and nothing else': ['Warning: disk full\nHost: db1\n', ['full', 'db1'], 'text'],
  'with a colon below trace fields': [
    'Received: from x\n\tby y\n12:30 meeting\n14:00 lunch\n',
    ['12:30 meeting\n14:00 lunch'],
    'text',
  ],
  'with a colon in a part': [
    'Content-Type: multipart/mixed; boundary=b\n\n--b\nNote: call\n--b--\n',
    ['Note: call'],
    'text',
  ],
  'that end in CR': ['Subject: s\rFrom: a@x.test\r\rone\rtwo\r', ['one\ntwo'], 'text'],
  'that are a part after the end of its multipart': [
    'Content-Type: multipart/mixed; boundary=b\n\n--b\n\nx\n--b--\n--b\n\nlate\n--b--\n',
    ['a part follows the end'],
    'parseError',
  ],
};

describe('lines that are no header fields', () => {
  for (const [what, [raw, shown, where]] of Object.entries(ODD_LINES)) {
    it(`are shown or told of ${what}`, async () => {
      const mail = await parseMail(Buffer.from(raw));
      for (const text of shown) expect(mail[where]).to.include(text);
      expect(mail.parseError === null).to.equal(where === 'text');
      expect((await parseInline(Buffer.from(raw)))?.parseError).to.equal(mail.parseError);
    });
  }

  it('are no fault if a mailbox file wrote them', async () => {
    for (const mark of ['', '>']) {
      const raw = `${mark}From a@x.test Thu Nov 26 07:00:00 2026\nSubject: s\n\nx`;
      expect(await parseMail(Buffer.from(raw))).to.include({ parseError: null, text: 'x' });
    }
  });

  it('end in CR in the fields that are listed, too', () => {
    const fields = headerFields(Buffer.from('Subject: s\rX-A: b\r\rtext'));
    expect(fields.map(({ value }) => value)).to.deep.equal(['s', 'b']);
  });
});

describe('a mail without a header', () => {
  const parse = (text: string) => parseMail(Buffer.from(text));

  it('is all text', async () => {
    const texts = ['hello', 'Dear Bob,\n\nsee you at 10:30\n', 'x'.repeat(1_500_000), '(a)\n:b'];
    for (const text of texts) {
      const whole = { from: null, subject: '', text, parseError: null };
      expect(await parse(text), text.slice(0, 20)).to.deep.include(whole);
    }
    expect((await parseInline(Buffer.from('hello')))?.text).to.equal('hello');
  });

  it('is text after an empty line, too', async () => {
    expect(await parse('\r\nhello')).to.include({ subject: '', text: 'hello', parseError: null });
  });

  it('is distinct from a mail with a header field after an invalid line', async () => {
    const mail = await parse('From someone Mon Jan  1 10:00:00 2024\r\nSubject: s\r\n\r\nb');
    expect(mail).to.include({ subject: 's', text: 'b' });
    expect(await parse('Subject: s')).to.include({ subject: 's', text: null });
  });
});
