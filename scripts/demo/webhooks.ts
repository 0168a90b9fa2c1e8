/** Webhooks of the demo: one that works and two that fail. */
import type { Receivers } from './receivers.ts';
import { RefusedError, type Rest, until } from './rest.ts';

export interface RegisteredWebhook {
  id: string;
  mailbox: string;
  url: string;
}

export interface Webhooks {
  registered: RegisteredWebhook[];
  /** Why the service refused the others; null if it registered all. */
  refusal: string | null;
}

/** An instance that is not private refuses HTTP and addresses of its own machine. */
export async function registerWebhooks(
  rest: Rest,
  receivers: Omit<Receivers, 'close'>,
  nameOf: (mailbox: string) => string,
): Promise<Webhooks> {
  const wanted = [
    { mailbox: nameOf('signup'), url: receivers.working },
    { mailbox: nameOf('signup'), url: receivers.failing },
    { mailbox: nameOf('billing'), url: receivers.closed },
  ];
  const webhooks: Webhooks = { registered: [], refusal: null };
  for (const { mailbox, url } of wanted) {
    try {
      const { id } = await rest.post<{ id: string }>(`/mailboxes/${mailbox}/webhooks`, { url });
      webhooks.registered.push({ id, mailbox, url });
    } catch (error) {
      if (!(error instanceof RefusedError) || error.status !== 400) throw error;
      webhooks.refusal = error.message;
    }
  }
  return webhooks;
}

interface Delivery {
  state: string;
  attempts: unknown[];
}

/** Resolves to whether all deliveries had their first attempt in time. */
export async function firstAttempts(
  rest: Rest,
  webhooks: RegisteredWebhook[],
  withinMs: number,
): Promise<boolean> {
  const waits = webhooks.map(({ id, mailbox }) =>
    until(async () => {
      const { deliveries } = await rest.get<{ deliveries: Delivery[] }>(
        `/mailboxes/${mailbox}/webhooks/${id}/deliveries?limit=100`,
      );
      return deliveries.every(
        ({ state, attempts }) => state !== 'in_flight' && attempts.length > 0,
      );
    }, withinMs),
  );
  return (await Promise.all(waits)).every(Boolean);
}
