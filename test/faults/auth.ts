/** F12: AUTH during a crash of Redis, and deletion of a credential that is in use. */
import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { SmtpClient } from '../support/clients/smtp-client.ts';
import { type Bench, openBench } from './harness/bench.ts';
import type { Fault, FaultGroup } from './harness/fault.ts';

const SETTLE_MS = 60_000;
const MAILS_AROUND = 20;

interface Catcher {
  name: string;
  id: string;
  username: string;
  password: string;
}

async function openCatcher({ api }: Bench): Promise<Catcher> {
  const name = `catch-${randomBytes(4).toString('hex')}`;
  await api.json({ method: 'POST', path: '/mailboxes', body: { name } });
  const made = await api.json<Omit<Catcher, 'name'>>({
    method: 'POST',
    path: `/mailboxes/${name}/smtp-credentials`,
    body: { name: 'fault' },
  });
  return { ...made, name };
}

/**
 * Sends one mail on a new connection. Returns the code of the last reply, 0 for a lost connection.
 */
async function send(bench: Bench, catcher: Catcher, recipient: string): Promise<number> {
  let client: SmtpClient | null = null;
  try {
    client = await SmtpClient.open(bench.smtpPort());
    const { code } = await client.login(catcher.username, catcher.password);
    if (code !== 235) return code;
    const data = Buffer.from('Subject: caught\r\n\r\nx\r\n');
    return (await client.send({ from: 'app@client.example', to: [recipient], data })).code;
  } catch {
    return 0;
  } finally {
    client?.drop();
  }
}

/** The recipients to which mail was sent, by the reply: 250, or none. */
interface Sent {
  accepted: string[];
  /** The connection was lost before the reply to the mail: it may be stored. */
  uncertain: string[];
}

/**
 * @throws if an accepted mail is not caught exactly once, or another one twice or without reason.
 */
async function expectCaught(
  { api }: Bench,
  { name }: Catcher,
  { accepted, uncertain }: Sent,
): Promise<void> {
  const end = Date.now() + SETTLE_MS;
  for (;;) {
    const found: string[] = [];
    let after = '';
    do {
      const page = await api.json<{
        messages: { envelope: { to: string[] } }[];
        nextCursor: string | null;
      }>({ path: `/mailboxes/${name}/messages?view=summary&limit=100${after}` });
      found.push(...page.messages.flatMap(({ envelope }) => envelope.to));
      after = page.nextCursor === null ? '' : `&after=${page.nextCursor}`;
    } while (after !== '');
    const distinct = new Set(found);
    if (distinct.size < found.length)
      throw new Error(`${found.length - distinct.size} mails are caught twice`);
    const missing = accepted.filter((recipient) => !distinct.has(recipient));
    if (missing.length === 0) {
      const allowed = new Set([...accepted, ...uncertain]);
      const others = found.filter((recipient) => !allowed.has(recipient));
      if (others.length > 0) throw new Error(`${others.length} refused mails are caught`);
      return;
    }
    if (Date.now() > end) {
      throw new Error(`${missing.length} of ${accepted.length} accepted mails are not caught`);
    }
    await delay(200);
  }
}

/** Kills a process while four clients log in and send, each mail on a separate connection. */
async function killUnderLoad(bench: Bench, process: 'redis' | 'smtp'): Promise<Set<number>> {
  const catcher = await openCatcher(bench);
  const sent: Sent = { accepted: [], uncertain: [] };
  const codes = new Set<number>();
  let isOver = false;
  const sending = Promise.all(
    Array.from({ length: 4 }, async (_, lane) => {
      for (let n = 0; !isOver; n += 1) {
        const recipient = `customer-${lane}-${n}@gmail.test`;
        const code = await send(bench, catcher, recipient);
        codes.add(code);
        if (code === 250) sent.accepted.push(recipient);
        if (code === 0 || code === 451) sent.uncertain.push(recipient);
      }
    }),
  );
  while (sent.accepted.length < MAILS_AROUND) await delay(20);
  await bench.kill(process);
  const before = sent.accepted.length;
  const end = Date.now() + SETTLE_MS;
  while (sent.accepted.length < before + MAILS_AROUND && Date.now() < end) await delay(20);
  isOver = true;
  await sending;
  if (sent.accepted.length < before + MAILS_AROUND)
    throw new Error('no mail is accepted afterwards');
  await expectCaught(bench, catcher, sent);
  return codes;
}

const faults: Fault[] = [
  {
    id: 'F12',
    title: 'Redis is killed while clients log in: 454, then 235, and each mail is caught once',
    inject: async ({ bench }) => {
      const codes = await killUnderLoad(bench, 'redis');
      const odd = [...codes].filter((code) => ![0, 250, 421, 451, 454].includes(code));
      if (odd.length > 0) throw new Error(`answered with ${odd.join(', ')}`);
    },
  },
  {
    id: 'F12',
    title: 'the SMTP process is killed while clients log in: each accepted mail caught once',
    inject: async ({ bench }) => {
      await killUnderLoad(bench, 'smtp');
    },
  },
  {
    id: 'F12',
    title: 'an SMTP credential is deleted under load: nothing sent after the answer is caught',
    inject: async ({ bench }) => {
      const catcher = await openCatcher(bench);
      const accepted: string[] = [];
      let deletedAt = Infinity;
      let late = 0;
      await Promise.all(
        Array.from({ length: 4 }, async (_, lane) => {
          const client = await SmtpClient.open(bench.smtpPort());
          await client.login(catcher.username, catcher.password);
          for (let n = 0; n < 1000; n += 1) {
            const begun = performance.now();
            const recipient = `customer-${lane}-${n}@gmail.test`;
            const data = Buffer.from('Subject: caught\r\n\r\nx\r\n');
            const mail = { from: 'app@client.example', to: [recipient], data };
            const { code } = await client.send(mail);
            if (code === 250) accepted.push(recipient);
            if (code === 250 && begun > deletedAt) late += 1;
            if (code === 550) break;
            if (lane === 0 && n === MAILS_AROUND) {
              const path = `/mailboxes/${catcher.name}/smtp-credentials/${catcher.id}`;
              await bench.api.patiently({ method: 'DELETE', path });
              deletedAt = performance.now();
            }
          }
          client.drop();
        }),
      );
      if (late > 0) throw new Error(`${late} mails begun after the deletion were accepted`);
      await expectCaught(bench, catcher, { accepted, uncertain: [] });
    },
  },
];

export const authGroup: FaultGroup = {
  title: 'AUTH and capture',
  openBench,
  faults,
};
