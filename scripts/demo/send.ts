/** Sends the mails of the demo, by SMTP with the credential of an application or over REST. */
import { isIP } from 'node:net';
import { createTransport } from 'nodemailer';
import { type Planned, applications } from './mailboxes.ts';
import { DemoError, type Rest } from './rest.ts';

export interface SmtpServer {
  host: string;
  port: number;
}

export interface Sending {
  rest: Rest;
  /** Null for the server that the credential names. */
  smtp: SmtpServer | null;
  /** The address in the workspace of a mailbox with an optional tag. */
  addressOf: (recipient: string) => string;
  /** The name in the workspace of a mailbox. */
  nameOf: (mailbox: string) => string;
}

interface Credential {
  host: string;
  port: number;
  tls: 'none' | 'starttls' | 'tls';
  username: string;
  password: string;
}

/** @throws {DemoError} */
export async function sendAll(sending: Sending, planned: Planned[]): Promise<void> {
  const transports = new Map<string, Transport>();
  try {
    for (const application of applications) {
      transports.set(application, await openTransport(sending, application));
    }
    for (const each of planned) {
      const transport = each.application === null ? null : transports.get(each.application);
      await (transport ? sendBySmtp(sending, transport, each) : sendOverRest(sending, each));
    }
  } finally {
    for (const transport of transports.values()) transport.close();
  }
}

type Transport = Awaited<ReturnType<typeof openTransport>>;

async function openTransport({ rest, smtp, nameOf }: Sending, mailbox: string) {
  const credential = await rest.post<Credential>(`/mailboxes/${nameOf(mailbox)}/smtp-credentials`, {
    name: 'demo',
  });
  const { host, port } = smtp ?? credential;
  return createTransport({
    ...{ pool: true, maxConnections: 1, host, port },
    secure: smtp === null && credential.tls === 'tls',
    auth: { user: credential.username, pass: credential.password },
    // A private instance has a certificate that it signed itself.
    tls: { rejectUnauthorized: !isLocal(host) },
    ...{ disableFileAccess: true, disableUrlAccess: true },
  });
}

function isLocal(host: string): boolean {
  return (
    host === 'localhost' ||
    host.endsWith('.localhost') ||
    (isIP(host) === 4 && host.startsWith('127.')) ||
    host === '::1'
  );
}

async function sendBySmtp(
  { addressOf }: Sending,
  transport: Transport,
  { mail, to, cc = [], bcc = [] }: Planned,
): Promise<void> {
  const { from, subject, text, html, headers, attachments } = mail;
  const recipients = { to: to.map(addressOf), cc: cc.map(addressOf), bcc: bcc.map(addressOf) };
  try {
    await transport.sendMail({ from, subject, text, html, headers, attachments, ...recipients });
  } catch (error) {
    throw new DemoError(`The mail "${subject}" was not sent: ${(error as Error).message}`);
  }
}

async function sendOverRest(
  { rest, addressOf, nameOf }: Sending,
  { mail, to }: Planned,
): Promise<void> {
  const { from, subject, text, html, attachments } = mail;
  const [mailbox = ''] = to[0]?.split('+') ?? [];
  await rest.post(`/mailboxes/${nameOf(mailbox)}/messages`, {
    ...{ to: to.map(addressOf), from: from.name, subject, text, html },
    attachments: attachments.map(({ filename, contentType, content }) => ({
      ...{ filename, contentType, data: content.toString('base64') },
    })),
  });
}
