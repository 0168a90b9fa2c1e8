import { eventually } from '../support/mocha/eventually.ts';
import { SmtpClient } from '../support/clients/smtp-client.ts';
import { withoutTrace } from '../support/mail/trace.ts';
import type { Product } from '../support/process/product.ts';
import type { CorpusMail } from './mails.ts';

const MAILBOX = 'corpus';
const CONNECTIONS = 10;
const VISIBLE_WITHIN_MS = 300_000;

/** Findings, one line per mail. */
interface Report {
  refused: string[];
  invisible: string[];
  changed: string[];
  parseErrors: string[];
}

/** Sends every mail to a separate tag, by which its message is found. */
export async function checkAll(
  { smtpPort, domain, rest }: Product,
  mails: CorpusMail[],
): Promise<Report> {
  const report: Report = { refused: [], invisible: [], changed: [], parseErrors: [] };
  await rest.createMailbox(MAILBOX);
  const accepted = new Map<string, CorpusMail>();
  const waiting = [...mails.entries()];
  const sendRest = async () => {
    const client = await SmtpClient.open(smtpPort);
    for (let next = waiting.pop(); next; next = waiting.pop()) {
      const [n, mail] = next;
      const to = [`${MAILBOX}+${n}@${domain}`];
      const { code, text } = await client.send({ from: '', to, data: mail.bytes });
      if (code === 250) accepted.set(String(n), mail);
      else report.refused.push(`${mail.name}: ${code} ${text}`);
    }
    await client.quit();
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, sendRest));

  await eventually(
    'all of them',
    async () => (await rest.messageCount(MAILBOX)) >= accepted.size,
    VISIBLE_WITHIN_MS,
  ).catch(() => undefined); // the report lists missing mails
  for (const { id, tag = '', parseError } of await rest.messages(MAILBOX)) {
    const mail = accepted.get(tag);
    if (!mail) throw new Error(`message ${id} appears twice, or was never sent`);
    accepted.delete(tag);
    const raw = withoutTrace(await rest.raw(MAILBOX, id));
    if (!raw.equals(mail.bytes)) report.changed.push(`${mail.name}: changed`);
    if (parseError !== undefined) report.parseErrors.push(`${mail.name}: ${parseError}`);
  }
  report.invisible.push(...[...accepted.values()].map(({ name }) => `${name}: not visible`));
  return report;
}
