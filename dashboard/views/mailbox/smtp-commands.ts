import type { Mailbox, Session } from '../../rest/shapes.ts';

export type Way = 'swaks' | 'curl' | 'nodemailer';

/** Returns commands that send a first mail to the mailbox. */
export function smtpCommands(
  { address }: Mailbox,
  { host, port }: Session['smtp'],
): Record<Way, string> {
  const mail = `From: me@example.com\\r\\nTo: ${address}\\r\\nSubject: Hello\\r\\n\\r\\nIt works.\\r\\n`;
  const server = host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
  return {
    swaks: `swaks --server ${server} --to ${address} --from me@example.com --header 'Subject: Hello' --body 'It works.'`,
    curl: `printf '${mail}' | curl -sS smtp://${server} --mail-from me@example.com --mail-rcpt ${address} -T -`,
    nodemailer: `import { createTransport } from 'nodemailer';

await createTransport({ host: '${host}', port: ${port} }).sendMail({
  from: 'me@example.com',
  to: '${address}',
  subject: 'Hello',
  text: 'It works.',
});`,
  };
}
