import { storeCaught } from '../rest/capture.ts';
import { newKey, sendMessage } from '../rest/messages.ts';
import type { Mailbox } from '../rest/shapes.ts';

const CUSTOMER = 'customer@example.com';

const STYLES = `
  :root { color-scheme: light dark }
  body { margin: 0; padding: 32px; font: 16px/1.55 -apple-system, 'Segoe UI', Roboto, Arial, sans-serif; color: #17201b; background: #f4f7f5 }
  div { max-width: 480px; margin: 0 auto; padding: 32px; border-radius: 16px; background: #fff }
  h1 { margin: 0 0 12px; font-size: 24px; line-height: 1.25 }
  code { padding: 2px 6px; border-radius: 6px; background: #e6f3ee; font-size: 14px }
  @media (prefers-color-scheme: dark) {
    body { color: #e8efeb; background: #0d1211 }
    div { background: #18211e }
    code { background: #16382d }
  }`;

/** Sends a sample mail from the mailbox to itself. */
export async function sendTestMail({ name, address }: Mailbox): Promise<void> {
  const html = `<!doctype html><html><head><style>${STYLES}</style></head><body><div>
<h1>It works.</h1>
<p>This is the first message at <code>${address}</code>. Any SMTP client can send the next one.</p>
<p>The buttons above show the message at phone width, in dark colors, as header fields and as raw source.</p>
<p>To tag a message, send it to <code>${name}+signup@…</code>. The tag appears beside the message.</p>
</div></body></html>`;
  const text = `It works.\n\nThis is the first message at ${address}. Any SMTP client can send the next one.\n`;
  const mail = {
    to: [address],
    subject: 'It works: your first message',
    text,
    html,
    from: 'Mayfly',
  };
  await sendMessage(name, mail, newKey());
}

/** Stores a mail as if an application had sent it to a customer; a browser cannot use SMTP. */
export async function sendCaught(name: string): Promise<void> {
  const lines = [
    'From: Your application <app@example.com>',
    `To: Customer <${CUSTOMER}>`,
    'Subject: Welcome, customer',
    'Content-Type: text/plain; charset=utf-8',
    '',
    `This mail is addressed to ${CUSTOMER} and was caught here.`,
    '',
  ];
  await storeCaught(name, lines.join('\r\n'), CUSTOMER);
}
