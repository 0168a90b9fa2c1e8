import { useState } from 'preact/hooks';
import { Button, IconButton } from '../../components/button.tsx';
import { ErrorText } from '../../components/form.tsx';
import { Skeleton } from '../../components/placeholders.tsx';
import type { DeliveryState, Webhook } from '../../rest/shapes.ts';
import { redeliver } from '../../rest/webhooks.ts';
import { mayChange } from '../../state/session.ts';
import { toast } from '../../state/toasts.ts';
import { useAction } from '../../state/use-action.ts';
import { DeliveryItem } from './delivery-item.tsx';
import { useDeliveries } from './use-deliveries.ts';
import { deliveryStates, states } from './webhook-texts.ts';

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
            ? 'No deliveries in the last seven days. Send a test event or a mail.'
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
