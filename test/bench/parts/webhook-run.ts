/** One run of mail that is delivered to webhooks: from the 250 to the request at the receiver. */
import { benchMail } from '../../load/mails.ts';
import { sendPaced } from '../../load/smtp.ts';
import { type Behavior, type Receiver, startReceiver } from '../../load/receiver.ts';
import type { RestClient } from '../../support/clients/rest-client.ts';
import { type Target, onProduct } from '../target.ts';

export interface WebhookRun {
  mails: number;
  perSecond: number;
  /** The webhooks of each mailbox; mail is sent to the mailboxes in turn. */
  mailboxes: Behavior[][];
}

export interface WebhookResult {
  /** Milliseconds from each mail's 250 to the whole request at each healthy receiver. */
  delays: number[];
  /** Requests per second, from the first 250 to the last request. */
  rate: number;
}

const WARM_UP: WebhookRun = { mails: 300, perSecond: 100, mailboxes: [['healthy']] };

/** Measures on a separate product and receiver. */
export async function webhookRun(run: WebhookRun): Promise<WebhookResult> {
  const receiver = await startReceiver();
  try {
    return await onProduct(async (target) => {
      await measure(target, receiver, WARM_UP, 'warm-up');
      return measure(target, receiver, run, 'run');
    });
  } finally {
    receiver.stop();
  }
}

/** Creates a mailbox with a webhook to each of these. */
export async function openWithWebhooks(
  rest: RestClient,
  receiver: Receiver,
  name: string,
  behaviors: Behavior[],
): Promise<void> {
  await rest.createMailbox(name);
  const urls = behaviors.map((behavior, n) => receiver.url(behavior, `${name}-${n}`));
  await Promise.all(urls.map((url) => rest.registerWebhook(name, url)));
}

/** Measures on new mailboxes of a product. */
export async function measure(
  { smtpPort, domain, rest }: Pick<Target, 'smtpPort' | 'domain' | 'rest'>,
  receiver: Receiver,
  { mails, perSecond, mailboxes }: WebhookRun,
  name: string,
): Promise<WebhookResult> {
  const slugOf = (index: number) => `${name}-${index}`;
  for (const [index, behaviors] of mailboxes.entries()) {
    await openWithWebhooks(rest, receiver, slugOf(index), behaviors);
  }
  const answered = await sendPaced({
    port: smtpPort,
    mails,
    perSecond,
    mail: (n) => ({
      recipient: `${slugOf(n % mailboxes.length)}@${domain}`,
      body: benchMail(2048, n),
    }),
  });
  const arrivals = await receiver.arrivals(owedToHealthy(mails, mailboxes));
  const lastAt = arrivals.reduce((last, { at }) => Math.max(last, at), 0);
  return {
    delays: arrivals.map(({ number, at }) => at - (answered[number] ?? NaN)),
    rate: (arrivals.length * 1000) / (lastAt - (answered[0] ?? NaN)),
  };
}

/** Number of requests that the healthy receivers get. */
function owedToHealthy(mails: number, mailboxes: Behavior[][]): number {
  const healthy = mailboxes.map((behaviors) => behaviors.filter((one) => one === 'healthy'));
  let count = 0;
  for (let n = 0; n < mails; n += 1) count += healthy[n % mailboxes.length]?.length ?? 0;
  return count;
}
