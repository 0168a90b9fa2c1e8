import { expect } from 'chai';
import { headerFields } from '../../../core/messages/read-header.ts';
import { parseMail } from '../../../core/mime/parse-mail.ts';
import { type Shown, differences, mailCases } from '../../support/mail/mail-case.ts';

/** What the server writes before a mail received by SMTP. */
const TRACE =
  'Received: from client.test (client.test [127.0.0.1])\r\n\tby mx.test; Mon, 2 Mar 2026\r\n';

async function show(raw: Buffer): Promise<Shown> {
  const mail = await parseMail(raw);
  const attachments = mail.attachments.map(({ filename, contentType, content }) => ({
    filename,
    contentType,
    size: content.length,
  }));
  return { ...mail, attachments, headers: headerFields(raw) };
}

describe('odd mail', () => {
  for (const { id, why, strict, expected, raw } of mailCases()) {
    it(`is shown as its author meant it: ${id} (${strict}: ${why})`, async () => {
      expect(differences(expected, await show(raw))).to.deep.equal([]);
      const received = Buffer.concat([Buffer.from(TRACE), raw]);
      expect(differences(expected, await show(received)), 'received').to.deep.equal([]);
    });
  }
});
