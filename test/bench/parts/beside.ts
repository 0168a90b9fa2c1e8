/**
 * Latency of a mailbox with healthy receivers while other mailboxes have slow or dead ones: from
 * the 250 to the request.
 */
import { benchMail } from '../../load/mails.ts';
import { sendPaced } from '../../load/smtp.ts';
import { type Behavior, type Receiver, startReceiver } from '../../load/receiver.ts';
import { type Target, onProduct } from '../target.ts';
import { openWithWebhooks } from './webhook-run.ts';

/**
 * The webhooks of the other mailboxes. Each mail goes to one of them in turn, or to all of them.
 */
export interface Others {
  mailboxes: Behavior[][];
  together: boolean;
  /** Size of each mail. */
  bytes: number;
  perSecond: number;
}

export interface Latencies {
  /** Milliseconds for a mailbox whose receiver has responded before. */
  known: number[];
  /** Milliseconds for mailboxes that receive their first mail. */
  first: number[];
}

const SECONDS = 15;
/**
 * Of twenty mails, those with these indexes go to other mailboxes; the rest goes to the known
 * mailbox.
 */
const FOR_OTHERS = [0, 10];
const FOR_A_NEW_ONE = 19;

/** Fifteen seconds of mail, on a separate product and receiver. */
export async function beside(others: Others): Promise<Latencies> {
  const receiver = await startReceiver();
  try {
    return await onProduct((target) => measure(target, receiver, others));
  } finally {
    receiver.stop();
  }
}

async function measure(
  target: Target,
  receiver: Receiver,
  { mailboxes, together, bytes, perSecond }: Others,
): Promise<Latencies> {
  const count = SECONDS * perSecond;
  const { smtpPort, domain, rest } = target;
  const open = (slug: string, behaviors: Behavior[]) =>
    openWithWebhooks(rest, receiver, slug, behaviors);
  const send = (mails: number, slugOf: (n: number) => string) =>
    sendPaced({
      ...{ port: smtpPort, mails, perSecond },
      mail: (n) => ({ recipient: `${slugOf(n)}@${domain}`, body: benchMail(bytes, n) }),
    });

  await open('known', ['healthy']);
  for (const [n, behaviors] of mailboxes.entries()) await open(`other-${n}`, behaviors);
  for (let n = 0; n < count / 20; n += 1) await open(`new-${n}`, ['healthy']);
  await send(2 * perSecond, () => 'known');
  await receiver.arrivals(2 * perSecond);

  const slugOf = (n: number) => {
    if (n % 20 === FOR_A_NEW_ONE) return `new-${Math.floor(n / 20)}`;
    const isForOthers = FOR_OTHERS.includes(n % 20) && mailboxes.length > 0 && !together;
    return isForOthers ? `other-${(n / 10) % mailboxes.length}` : 'known';
  };
  if (together) {
    const to = mailboxes.map((_, n) => `other-${n}@${domain}`);
    await rest.send('known', { to, subject: 'wide', text: 'wide' });
  }
  const answered = await send(count, slugOf);
  const counted = Array.from({ length: count }, (_, n) => slugOf(n)).filter(
    (slug) => !slug.startsWith('other-'),
  );
  const arrivals = await receiver.arrivals(counted.length);
  const delays = (slug: string) =>
    arrivals
      .filter(({ path }) => path.startsWith(`/healthy/${slug}-`))
      .map(({ number, at }) => at - (answered[number] ?? NaN));
  return { known: delays('known'), first: delays('new') };
}
