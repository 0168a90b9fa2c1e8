import { Failure, Skeleton } from '../../components/placeholders.tsx';
import { UrlText } from '../../components/url-text.tsx';
import type { Delivery, Webhook } from '../../rest/shapes.ts';
import { listDeliveries, listWebhooks } from '../../rest/webhooks.ts';
import { ViewLink } from '../../routing/link.tsx';
import { to } from '../../routing/routes.ts';
import { useLoaded } from '../../state/requests.ts';
import { DeliveryItem } from '../webhooks/delivery-item.tsx';

/** Each webhook takes one request. */
const LOOKED_AT = 5;

interface Told {
  webhook: Webhook;
  deliveries: Delivery[];
}

/** The webhook deliveries of this message. */
export function MessageDeliveries({ name, id }: { name: string; id: string }) {
  const { value, error, reload } = useLoaded(id, async () => {
    const webhooks = await listWebhooks(name);
    const told = webhooks.slice(0, LOOKED_AT).map(async (webhook): Promise<Told> => {
      const { deliveries } = await listDeliveries(name, webhook.id, { limit: 100 });
      return { webhook, deliveries: deliveries.filter(({ messageId }) => messageId === id) };
    });
    return { told: await Promise.all(told), others: webhooks.length - told.length };
  });
  if (error) {
    return <Failure title="The deliveries could not be loaded" error={error} onRetry={reload} />;
  }
  if (!value) return <Skeleton lines={4} />;
  if (value.told.length === 0) {
    return (
      <p class="hint">
        This mailbox has no webhooks. <ViewLink href={to.webhooks(name)}>Register one</ViewLink> to
        send each message to a URL.
      </p>
    );
  }
  return (
    <div class="told">
      {value.told.map(({ webhook, deliveries }) => (
        <section key={webhook.id}>
          <h2>
            <ViewLink href={to.webhook(name, webhook.id)}>
              <UrlText url={webhook.url} />
            </ViewLink>
          </h2>
          {deliveries.length === 0 ? (
            <p class="hint">
              None of the 100 newest deliveries of this webhook is for this message.
            </p>
          ) : (
            <ul class="deliveries">
              {deliveries.map((delivery) => (
                <DeliveryItem key={delivery.id} delivery={delivery} />
              ))}
            </ul>
          )}
        </section>
      ))}
      {value.others > 0 && (
        <p class="hint">
          Webhooks not shown here: {value.others}. See{' '}
          <ViewLink href={to.webhooks(name)}>Webhooks</ViewLink>.
        </p>
      )}
    </div>
  );
}
