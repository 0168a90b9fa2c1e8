import { join } from 'node:path';
import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { ROOT } from '../../../core/root.ts';
import { parseInline, parseMail } from '../../../core/mime/parse-mail.ts';

const lines = (...text: string[]) => Buffer.from(text.join('\r\n'));

describe('parsing', () => {
  it('parses a real multipart mail completely', async () => {
    const raw = await readFile(join(ROOT, 'test/mail/order.eml'));
    const mail = await parseMail(raw);
    expect(mail.from).to.deep.equal({ address: 'jose.munoz@shop.example', name: 'José Muñoz' });
    expect(mail.to).to.deep.equal(['zoe@mayfly.localhost', 'qa@mayfly.localhost']);
    expect(mail.cc).to.deep.equal(['andre@shop.example']);
    expect(mail.subject).to.equal('Ihre Bestellung № 42 — Grüße 🦋');
    expect(mail.messageIdHeader).to.equal('<order-42.1772439300@shop.example>');
    expect(mail.text).to.contain('Der Betrag: 12,50 €.\n.\nEin Punkt');
    expect(mail.html).to.contain('src="cid:logo@shop.example"');
    expect(mail.parseError).to.equal(null);
    expect(
      mail.attachments.map(({ filename, contentType }) => [filename, contentType]),
    ).to.deep.equal([
      ['logo.png', 'image/png'],
      ['Rechnung № 42.pdf', 'application/pdf'],
    ]);
    expect(mail.attachments.map(({ contentId }) => contentId)).to.deep.equal([
      'logo@shop.example',
      null,
    ]);
    expect(mail.attachments[0]?.content.subarray(1, 4).toString()).to.equal('PNG');
    expect(mail.attachments[1]?.content.toString()).to.match(/^%PDF-1\.4[^]*%%EOF\n$/);
  });

  it('treats an inline file as an attachment and joins bodies without additions', async () => {
    const part = (head: string, body: string) => ['--b', ...head.split('|'), '', body];
    const mail = await parseMail(
      lines(
        'Content-Type: multipart/mixed; boundary=b',
        '',
        ...part('Content-Type: text/plain', 'hello'),
        ...part(
          'Content-Type: text/plain|Content-Disposition: inline; filename=notes.txt',
          'NOTES',
        ),
        ...part(
          'Content-Type: text/html|Content-Disposition: inline; filename=report.html',
          '<h1>r</h1>',
        ),
        ...part('Content-Type: text/html', '<p>one</p>'),
        ...part('Content-Type: text/html', '<p>two</p>'),
        ...part('Content-Type: text/plain', 'bye'),
        '--b--',
      ),
    );
    expect(mail.text).to.equal('hello\nbye');
    expect(mail.html).to.equal('<p>one</p><p>two</p>');
    expect(
      mail.attachments.map(({ filename, content }) => [filename, String(content)]),
    ).to.deep.equal([
      ['notes.txt', 'NOTES'],
      ['report.html', '<h1>r</h1>'],
    ]);
  });

  it('derives neither text from HTML nor HTML from text', async () => {
    const html = await parseMail(
      lines('From: a@b.test', 'Content-Type: text/html', '', '<p>x</p>'),
    );
    expect([html.text, html.html]).to.deep.equal([null, '<p>x</p>']);
    const text = await parseMail(lines('From: a@b.test', '', 'see http://x.test'));
    expect([text.text, text.html]).to.deep.equal(['see http://x.test', null]);
  });

  it('finds the members of a group and several To headers', async () => {
    const mail = await parseMail(lines('To: team: a@x.test, b@x.test;', 'To: c@x.test', '', ''));
    expect(mail.to).to.deep.equal(['a@x.test', 'b@x.test', 'c@x.test']);
    expect(mail.from).to.equal(null);
  });

  it('finds users of the machine that sent the mail, whose addresses have no domain', async () => {
    const from = async (value: string) =>
      (await parseMail(lines(`From: ${value}`, '', 'x'))).from?.address ?? null;
    expect(await from('root')).to.equal('root');
    expect(await from('<www-data>')).to.equal('www-data');
    expect(await from('"Cron" <root>')).to.equal('root');
    expect(await from('Example Shop')).to.equal(null);
    const { to } = await parseMail(lines('To: <root>, ops, b@x.test, Nobody:;', '', 'x'));
    expect(to).to.deep.equal(['root', 'ops', 'b@x.test']);
  });

  it('keeps strings well-formed', async () => {
    const mail = await parseMail(
      lines('Subject: a\0b', 'Content-Type: text/plain; charset=utf-8', '', 'x\0y'),
    );
    expect(mail.subject + String(mail.text)).not.to.contain('\0');
    expect(mail.text).to.equal('x\uFFFDy');
  });

  it('keeps the first 1,000 parts of a mail with more', async () => {
    const mail = await parseMail(
      lines(
        'Subject: bomb',
        'From: a@x.test',
        'Content-Type: multipart/mixed; boundary=b',
        '',
        ...Array.from({ length: 2000 }, (_, n) => `--b\r\n\r\n${n}`),
        '--b--',
      ),
    );
    expect(mail).to.include({ subject: 'bomb', parseError: 'more than 1000 parts' });
    expect(mail.text?.split('\n')).to.deep.equal(Array.from({ length: 999 }, (_, n) => `${n}`));
  });

  it('keeps the headers of a mail with an endless header, up to their limits', async () => {
    const mail = await parseMail(
      lines(
        `X-Long: ${'x'.repeat(200_000)}`,
        'Subject: bomb',
        ' folded',
        `To: ${'a@x.test, '.repeat(2000)}`,
        'From: a@x.test',
        `X-Longer: ${'x'.repeat(1_200_000)}`,
        '',
        'body',
      ),
    );
    expect(mail).to.include({ subject: 'bomb folded', text: null });
    expect(mail.from?.address).to.equal('a@x.test');
    expect(mail.to.length).to.be.within(500, 1000);
    expect(mail.parseError).to.contain('header');
  });

  it('parses inline only ordinary mail', async () => {
    const heavy = {
      'a long header': lines(`X: ${'x'.repeat(40_000)}`, '', 'x'),
      'a part with a long header': lines(
        'Content-Type: multipart/mixed; boundary=b',
        ...['', '--b', `X: ${'x'.repeat(40_000)}`, '', 'x', '--b--', ''],
      ),
      'many parts': lines(
        'Content-Type: multipart/mixed; boundary=b',
        ...['', ...Array.from({ length: 200 }, () => '--b\r\n\r\nx'), '--b--', ''],
      ),
    };
    for (const [what, raw] of Object.entries(heavy)) {
      expect(await parseInline(raw), what).to.equal(null);
      expect((await parseMail(raw)).parseError, what).to.equal(null);
    }
    const order = await readFile(join(ROOT, 'test/mail/order.eml'));
    expect(await parseInline(order)).to.deep.equal(await parseMail(order));
  });

  it('parses deeply nested HTML and an empty mail', async () => {
    const nested = await parseMail(lines('Content-Type: text/html', '', '<div>'.repeat(50_000)));
    expect(nested.parseError).to.equal(null);
    expect((await parseMail(Buffer.alloc(0))).subject).to.equal('');
  });
});
