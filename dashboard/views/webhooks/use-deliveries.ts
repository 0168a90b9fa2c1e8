import { useCallback, useEffect, useState } from 'preact/hooks';
import { type ApiError, toApiError } from '../../rest/api-error.ts';
import { listDeliveries } from '../../rest/webhooks.ts';
import type { Delivery, DeliveryPage, DeliveryState } from '../../rest/shapes.ts';
import { useLoaded } from '../../state/use-loaded.ts';

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
export function useDeliveries(
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
