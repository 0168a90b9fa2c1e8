import { expect } from 'chai';
import { parseMail } from '../../../../core/mime/parse-mail.ts';
import { markedMails } from '../../../support/mail/marked-mail.ts';
import { mutatedMails, checkMail } from '../../../support/mail/mutated-mail.ts';

describe('any mail', () => {
  it('is parsed, and the bytes of each part are shown or parseError is set', async () => {
    for (const raw of mutatedMails(2000, 7)) await checkMail(raw);
  });

  it('shows each word that was written into it, or parseError tells of it', async () => {
    for (const { raw, marks, isWhole } of markedMails(500, 7)) {
      const { text, html, attachments, parseError } = await parseMail(raw);
      const shown = [text, html, ...attachments.map(({ content }) => content.toString())].join(' ');
      const lost = parseError === null ? marks.filter((mark) => !shown.includes(mark)) : [];
      expect(lost, raw.toString('latin1')).to.deep.equal([]);
      expect(parseError === null, raw.toString('latin1')).to.equal(isWhole);
    }
  });

  it('keeps the bytes of a part whose header is too long', async () => {
    const head = 'Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\ntext\r\n--b\r\n';
    const raw = Buffer.from(`${head}X: ${'x'.repeat(1_100_000)}\r\n\r\nbody\r\n--b--`);
    const mail = await parseMail(raw);
    expect([mail.text, mail.parseError]).to.deep.equal([
      'text',
      'the header of a part is too long',
    ]);
    expect(mail.attachments[0]?.content.toString()).to.match(/^X: x+\r\n\r\nbody$/);
  });

  it('cannot add a header field by an encoded word', async () => {
    const raw = Buffer.from('Subject: =?utf-8?Q?a=0D=0ATo:_x=40y.test=0D=0A=0D=0Abody?=\r\n\r\nx');
    const { subject, to, text } = await parseMail(raw);
    expect([subject, to, text]).to.deep.equal(['a\r\nTo: x@y.test\r\n\r\nbody', [], 'x']);
  });
});
