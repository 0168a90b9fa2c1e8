/** Shared set-up of delivery tests: a mailbox, a webhook to a receiver, and mail. */
import type { Context } from '../../../core/context.ts';
import { createMailbox } from '../../../core/mailboxes/mailboxes.ts';
import { registerWebhook } from '../../../core/webhooks/webhooks.ts';
import type { AttemptRow, DeliveryRow } from '../../../db/statements/deliveries.ts';
import type { DeliveryState } from '../../../db/schema/tables.ts';
import { attemptsOf } from '../../../db/statements/deliveries.ts';
import { deliverWebhook } from '../../../jobs/deliver-webhook.ts';
import type { Service } from '../service.ts';
import { type Receiver, openReceiver } from '../servers/receiver.ts';
import type { TestContext } from './context.ts';
import { type Fired, fire } from './fire.ts';
import { whileWorking } from './workers.ts';
import { deliverMail } from './deliver.ts';
import { eventually } from '../mocha/eventually.ts';

/** Settings that permit receivers on this machine and shorten retries. */
export const QUICK_WEBHOOKS = {
  WEBHOOK_ALLOW_HTTP: 'true',
  WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8',
  WEBHOOK_RETRY_SCHEDULE_MS: '20,40,60,80,100',
};

export interface WebhookBench {
  readonly webhook: { id: string; secret: string; mailboxId: string };
  /** Stores a mail in the mailbox. Returns the id of its message. */
  readonly mail: (raw?: string) => Promise<string>;
  readonly deliveries: () => Promise<DeliveryRow[]>;
  readonly attempts: () => Promise<AttemptRow[]>;
  /** Resolves to the newest delivery once it is in this state. */
  readonly settled: (state: DeliveryState, withinMs?: number) => Promise<DeliveryRow>;
}

/** A mailbox `box@one.test` with a webhook to the URL. */
export async function openWebhookBench(
  { context, caller }: Pick<TestContext, 'context' | 'caller'>,
  url: string,
  name = 'box',
): Promise<WebhookBench> {
  await createMailbox(context, caller, name);
  const { webhook: row, secret } = await registerWebhook(context, caller, name, url);
  const webhook = { ...row, secret };
  const { db } = context.store;
  const deliveries = async () =>
    (await db.select().from(db.t.deliveries).orderBy(db.t.deliveries.id)).filter(
      ({ webhookId }) => webhookId === webhook.id,
    );
  return {
    webhook,
    mail: async (raw = 'From: a@b.test\r\nSubject: Hi\r\n\r\nHello\r\n') => {
      const accepted = await deliverMail(context, [`${name}@one.test`], raw);
      return accepted.messages[0]!.id;
    },
    deliveries,
    attempts: async () =>
      attemptsOf(
        db,
        (await deliveries()).map(({ id }) => id),
      ),
    settled: (state, withinMs) =>
      eventually(
        `a delivery to be ${state}`,
        async () => {
          const newest = (await deliveries()).at(-1);
          return newest?.state === state && newest;
        },
        withinMs,
      ),
  };
}

export interface WebhookTest extends WebhookBench {
  /** The receiver of the test. It responds with 204 until `answer` is called. */
  readonly receiver: Receiver;
  readonly newest: () => Promise<DeliveryRow>;
  /** The delivery with this id. */
  readonly row: (id: string) => Promise<DeliveryRow>;
  /** A mail and its pending delivery. */
  readonly owed: () => Promise<DeliveryRow>;
  /** Runs the job of a delivery once, as a worker does. */
  readonly attempt: (delivery: DeliveryRow, context?: Context) => Promise<Fired>;
  /** The outcomes of all attempts. */
  readonly outcomes: () => Promise<(string | null)[]>;
  /** Delivers, as the worker process does, until `during` resolves. */
  readonly working: (during: () => Promise<unknown>, context?: Context) => Promise<void>;
  /** Opens the service of a test that needs other variables, with a new webhook. */
  readonly reopen: (env: Record<string, string>) => Promise<void>;
}

/** A webhook bench for each test of a suite, with its receiver. */
export function webhookTest(
  test: Service,
  urlOf = ({ url }: Receiver): string => url,
): WebhookTest {
  let opened: Receiver;
  let bench: WebhookBench;
  const openBench = async () => {
    bench = await openWebhookBench(test, urlOf(opened));
  };
  beforeEach(async () => {
    opened = await openReceiver();
    await openBench();
  });
  afterEach(() => opened.close());

  const row = async (id: string) => (await bench.deliveries()).find((one) => one.id === id)!;
  const newest = async () => (await bench.deliveries()).at(-1)!;
  return {
    receiver: {
      get url() {
        return opened.url;
      },
      get port() {
        return opened.port;
      },
      get received() {
        return opened.received;
      },
      connections: () => opened.connections(),
      answer: (how) => {
        opened.answer(how);
      },
      request: (...which) => opened.request(...which),
      close: () => opened.close(),
    },
    get webhook() {
      return bench.webhook;
    },
    mail: (raw) => bench.mail(raw),
    deliveries: () => bench.deliveries(),
    attempts: () => bench.attempts(),
    settled: (...state) => bench.settled(...state),
    newest,
    row,
    owed: async () => {
      await bench.mail();
      return newest();
    },
    attempt: async (delivery, context = test.context) =>
      fire(context, { ...delivery, ...(await row(delivery.id)) }),
    outcomes: async () => (await bench.attempts()).map(({ outcome }) => outcome),
    working: (during, context = test.context) =>
      whileWorking({ config: test.config, context }, [deliverWebhook], during),
    reopen: async (env) => {
      await test.reopen(env);
      await openBench();
    },
  };
}
