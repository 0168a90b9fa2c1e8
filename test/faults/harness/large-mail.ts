/** A mail and an attachment that are blobs, through the front door and back. */
import { randomBytes } from 'node:crypto';
import { SmtpClient } from '../../support/clients/smtp-client.ts';
import type { ListedMessage } from '../../support/clients/rest-client.ts';
import { attachmentMail } from '../../support/mail/attachment-mail.ts';
import { withoutTrace } from '../../support/mail/trace.ts';
import { eventually } from '../../support/mocha/eventually.ts';
import type { Bench } from './bench.ts';

/** 2.5 MB in base64. */
const ATTACHMENT_BYTES = 1_850_000;

/**
 * Sends mails of 2.5 MB by SMTP and as raw uploads, and reads raw mail and attachment back.
 * @throws if a mail is not accepted at once, or a byte differs.
 */
export async function largeMailIsWhole(bench: Bench, mailbox: string): Promise<void> {
  const { api } = bench;
  await api.json({ method: 'POST', path: '/mailboxes', body: { name: mailbox } });
  for (const send of [sendBySmtp, uploadRaw]) {
    const bytes = randomBytes(ATTACHMENT_BYTES);
    const mail = Buffer.from(attachmentMail([{ name: 'large.bin', bytes }], send.name));
    await send(bench, mailbox, mail);
    const path = `/mailboxes/${mailbox}/messages`;
    let id = '';
    await eventually(`the mail of ${send.name}`, async () => {
      const { messages } = await api.json<{ messages: ListedMessage[] }>({ path });
      id = messages.find(({ subject }) => subject === send.name)?.id ?? '';
      return id !== '';
    });
    const raw = await api.patiently({ path: `${path}/${id}/raw` });
    requireEqual(
      send === uploadRaw ? raw.body : withoutTrace(raw.body),
      mail,
      `the raw mail of ${send.name}`,
    );
    const { attachments } = await api.json<{ attachments: { id: string }[] }>({
      path: `${path}/${id}`,
    });
    const attachment = await api.patiently({
      path: `${path}/${id}/attachments/${attachments[0]?.id}`,
    });
    requireEqual(attachment.body, bytes, `the attachment of ${send.name}`);
  }
}

async function sendBySmtp(bench: Bench, mailbox: string, data: Buffer): Promise<void> {
  const client = await SmtpClient.open(bench.smtpPort());
  const to = [`${mailbox}@${bench.product().domain}`];
  const { code } = await client.send({ from: 'load@elsewhere.example', to, data });
  client.drop();
  if (code !== 250) throw new Error(`the reply to a large mail was ${code}`);
}

async function uploadRaw(bench: Bench, mailbox: string, body: Buffer): Promise<void> {
  const { status } = await fetch(`${bench.webUrls()[0]}/api/mailboxes/${mailbox}/messages/raw`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${bench.token}`, 'Content-Type': 'message/rfc822' },
    body: new Uint8Array(body),
  });
  if (status !== 201) throw new Error(`the response to a large raw mail was ${status}`);
}

function requireEqual(found: Buffer, expected: Buffer, what: string): void {
  if (!found.equals(expected)) {
    throw new Error(`${what} differs: ${found.length} bytes for ${expected.length}`);
  }
}
