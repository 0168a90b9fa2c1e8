import { storeCaught } from '../../rest/capture.ts';

const CUSTOMER = 'customer@example.com';

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
