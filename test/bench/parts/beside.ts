/** What others' receivers cost a mailbox whose own are well: from its mails' 250 to the requests. */
import { benchMail } from '../load/bench-mail.js';
import { sendPaced } from '../load/paced-load.js';
import { type Behaviour, type Receiver, startReceiver } from '../load/receiver.js';
import { type Target, onProduct } from '../target.js';

/** The webhooks of the other mailboxes; mail goes to these in turn, or once to all of them together. */
export interface Others {
  mailboxes: Behaviour[][];
  together: boolean;
  /** Of each mail. */
  bytes: number;
  perSecond: number;
}

export interface Latencies {
  /** Milliseconds of a mailbox whose receiver has answered before. */
  known: number[];
  /** The same of mailboxes that get their first mail, each of them once. */
  first: number[];
}

const SECONDS = 15;
/** Of twenty mails, those with these numbers; all others are for the mailbox that is known. */
const FOR_OTHERS = [0, 10];
const FOR_A_NEW_ONE = 19;

/** Fifteen seconds of mail, on a product and a receiver of the run's own. */
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
  const open = async (slug: string, behaviours: Behaviour[]) => {
    await rest.createMailbox(slug);
    const urls = behaviours.map((behaviour, n) => receiver.url(behaviour, `${slug}-${n}`));
    await Promise.all(urls.map((url) => rest.registerWebhook(slug, url)));
  };
  const send = (mails: number, slugOf: (n: number) => string) =>
    sendPaced({
      ...{ port: smtpPort, mails, perSecond },
      mail: (n) => ({ recipient: `${slugOf(n)}@${domain}`, body: benchMail(bytes, n) }),
    });

  await open('known', ['healthy']);
  for (const [n, behaviours] of mailboxes.entries()) await open(`other-${n}`, behaviours);
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
