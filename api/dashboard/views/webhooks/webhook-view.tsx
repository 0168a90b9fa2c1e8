import { useState } from 'preact/hooks';
import { ButtonLink } from '../../parts/button.js';
import { Failure } from '../../parts/failure.js';
import { Notice } from '../../parts/notice.js';
import { Page } from '../../parts/page.js';
import { Secret } from '../../parts/secret.js';
import { Skeleton } from '../../parts/skeleton.js';
import { UrlText } from '../../parts/url-text.js';
import { listWebhooks } from '../../rest/webhooks.js';
import { to } from '../../routing/routes.js';
import { mayChange } from '../../state/session.js';
import { useLoaded } from '../../state/use-loaded.js';
import { useTitle } from '../../state/use-title.js';
import { DeliveryLog } from './delivery-log.js';
import { useWebhookNews } from './use-webhook-news.js';
import { WebhookDeeds } from './webhook-deeds.js';
import { WebhookStanding } from './webhook-standing.js';

/** One webhook: how it stands, what can be done with it, and its log. */
export function WebhookView({ name, id }: { name: string; id: string }) {
  useTitle(`Webhook of ${name}`);
  const { value, error, reload, set } = useLoaded(name, () => listWebhooks(name));
  const [secret, setSecret] = useState<string | null>(null);
  const [logTurn, setLogTurn] = useState(0);
  const readLog = () => {
    setLogTurn((turn) => turn + 1);
  };
  useWebhookNews(name, () => {
    reload();
    readLog();
  });
  const webhook = value?.find((one) => one.id === id);
  if (error && !value) {
    return <Failure title="The webhook could not be loaded" error={error} onRetry={reload} />;
  }
  if (!value) {
    return (
      <div class="page">
        <Skeleton lines={6} />
      </div>
    );
  }
  if (!webhook) {
    return (
      <Notice icon="webhook" title="This webhook is gone">
        <p>It was deleted, or the link is wrong.</p>
        <ButtonLink href={to.webhooks(name)}>All webhooks of {name}</ButtonLink>
      </Notice>
    );
  }
  return (
    <Page
      title="Webhook"
      lead={
        <span class="webhook-url">
          <UrlText url={webhook.url} />
        </span>
      }
      back={{ href: to.webhooks(name), label: `Webhooks of ${name}` }}
    >
      {secret !== null && (
        <Secret
          title="New signing secret"
          value={secret}
          label="the signing secret"
          onDone={() => {
            setSecret(null);
          }}
        />
      )}
      <WebhookStanding webhook={webhook} />
      {mayChange.value && (
        <WebhookDeeds
          name={name}
          webhook={webhook}
          onChange={(changed) => {
            set(value.map((one) => (one.id === id ? changed : one)));
          }}
          onSecret={setSecret}
          onDelivery={readLog}
        />
      )}
      <DeliveryLog name={name} webhook={webhook} turn={logTurn} onDelivery={readLog} />
    </Page>
  );
}
