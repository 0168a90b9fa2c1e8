import { useCallback, useEffect, useState } from 'preact/hooks';
import { Button, IconButton } from '../../components/button.tsx';
import { ErrorText } from '../../components/form.tsx';
import { Skeleton } from '../../components/placeholders.tsx';
import { type ApiError, toApiError } from '../../rest/api-error.ts';
import type { Delivery, DeliveryPage, DeliveryState, Webhook } from '../../rest/shapes.ts';
import { listDeliveries, redeliver } from '../../rest/webhooks.ts';
import { useAction, useLoaded } from '../../state/requests.ts';
import { mayChange } from '../../state/session.ts';
import { toast } from '../../state/toasts.ts';
import { DeliveryItem } from './delivery-item.tsx';
import { deliveryStates, states } from './webhook-status.tsx';

/** The deliveries of the last seven days with their attempts. */
export function DeliveryLog({
  name,
  webhook,
  turn,
  onDelivery,
}: {
  name: string;
  webhook: Webhook;
  /** Incremented to reload the log. */
  turn: number;
  onDelivery: () => void;
}) {
  const [state, setState] = useState<DeliveryState | null>(null);
  const { deliveries, hasMore, isBusy, error, reload, more } = useDeliveries(
    name,
    webhook.id,
    state,
    turn,
  );
  const again = useAction(async (id: string) => {
    await redeliver(name, webhook.id, id);
    toast('Redelivery started. It is at the top of the log.');
    onDelivery();
  });
  return (
    <section class="delivery-log" aria-labelledby="log-heading">
      <div class="section-head">
        <h2 id="log-heading">Delivery log</h2>
        <StateFilter state={state} onChange={setState} />
        <IconButton icon="refresh" label="Reload the log" onClick={reload} />
      </div>
      <ErrorText error={error ?? again.error} />
      {!deliveries && !error && <Skeleton lines={5} />}
      {deliveries?.length === 0 && (
        <p class="hint">
          {state === null
            ? 'No deliveries in the last seven days. Send a test event or a message.'
            : 'No deliveries in this state.'}
        </p>
      )}
      <ul class="deliveries">
        {deliveries?.map((delivery) => (
          <DeliveryItem
            key={delivery.id}
            delivery={delivery}
            mailbox={name}
            {...(mayChange.value && webhook.active
              ? { onRedeliver: () => void again.run(delivery.id) }
              : {})}
          />
        ))}
      </ul>
      {hasMore && (
        <Button tone="quiet" busy={isBusy} onClick={more}>
          Older deliveries
        </Button>
      )}
    </section>
  );
}

function StateFilter({
  state,
  onChange,
}: {
  state: DeliveryState | null;
  onChange: (state: DeliveryState | null) => void;
}) {
  return (
    <select
      aria-label="Filter deliveries by state"
      value={state ?? ''}
      onChange={(event) => {
        const { value } = event.currentTarget;
        onChange(deliveryStates.find((one) => one === value) ?? null);
      }}
    >
      <option value="">All states</option>
      {deliveryStates.map((one) => (
        <option key={one} value={one}>
          {states[one].label}
        </option>
      ))}
    </select>
  );
}

/** Delays between reloads while an attempt is in progress. */
const LOOK_AGAIN_MS = [500, 1500, 4000, 10_000, 20_000];

interface Deliveries {
  /** Null until loaded. */
  deliveries: Delivery[] | null;
  hasMore: boolean;
  isBusy: boolean;
  error: ApiError | null;
  reload: () => void;
  more: () => void;
}

/**
 * The delivery log of a webhook, optionally of one state. Reloads while a delivery is in progress.
 */
function useDeliveries(
  name: string,
  id: string,
  state: DeliveryState | null,
  turn: number,
): Deliveries {
  const filter = state === null ? {} : { state };
  const first = useLoaded(`${id} ${state ?? ''}`, () => listDeliveries(name, id, filter));
  const [older, setOlder] = useState<DeliveryPage | null>(null);
  const [looks, setLooks] = useState(0);
  const [isBusy, setBusy] = useState(false);
  const [moreError, setMoreError] = useState<ApiError | null>(null);
  const { reload } = first;

  useEffect(() => {
    setOlder(null);
  }, [id, state]);
  useEffect(() => {
    if (turn === 0) return;
    setLooks(0);
    reload();
  }, [turn, reload]);

  const isUnderWay = first.value?.deliveries.some(isMoving) ?? false;
  useEffect(() => {
    const delay = LOOK_AGAIN_MS[looks];
    if (!isUnderWay || delay === undefined) return;
    const timer = setTimeout(() => {
      setLooks(looks + 1);
      reload();
    }, delay);
    return () => {
      clearTimeout(timer);
    };
  }, [isUnderWay, looks, reload, turn]);

  const after = older ? older.nextCursor : (first.value?.nextCursor ?? null);
  const more = useCallback(() => {
    if (after === null) return;
    setBusy(true);
    setMoreError(null);
    listDeliveries(name, id, { ...filter, after })
      .then((page) => {
        setOlder((before) => ({
          deliveries: [...(before?.deliveries ?? []), ...page.deliveries],
          nextCursor: page.nextCursor,
        }));
      })
      .catch((error: unknown) => {
        setMoreError(toApiError(error));
      })
      .finally(() => {
        setBusy(false);
      });
  }, [after, name, id, state]);

  return {
    deliveries: first.value && distinct([...first.value.deliveries, ...(older?.deliveries ?? [])]),
    hasMore: after !== null,
    isBusy,
    error: first.error ?? moreError,
    reload,
    more,
  };
}

/** True if an attempt is in progress or due soon. */
function isMoving({ state, nextAttemptAt }: Delivery): boolean {
  if (state === 'in_flight') return true;
  return state === 'pending' && Date.parse(nextAttemptAt ?? '') < Date.now() + 5000;
}

function distinct(deliveries: Delivery[]): Delivery[] {
  return [...new Map(deliveries.map((delivery) => [delivery.id, delivery])).values()];
}
