import { useState } from 'preact/hooks';
import { ButtonLink } from '../../components/button.tsx';
import { Page } from '../../components/page.tsx';
import { Failure, Notice, Skeleton } from '../../components/placeholders.tsx';
import { Secret } from '../../components/secret.tsx';
import { UrlText } from '../../components/url-text.tsx';
import { listWebhooks } from '../../rest/webhooks.ts';
import { to } from '../../routing/routes.ts';
import { mayChange } from '../../state/session.ts';
import { useLoaded } from '../../state/use-loaded.ts';
import { useTitle } from '../../state/use-title.ts';
import { DeliveryLog } from './delivery-log.tsx';
import { useWebhookNews } from './use-webhook-news.ts';
import { WebhookActions } from './webhook-actions.tsx';
import { WebhookStatus } from './webhook-status.tsx';

/** One webhook: state, actions and delivery log. */
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
      <Notice icon="webhook" title="Webhook not found">
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
      <WebhookStatus webhook={webhook} />
      {mayChange.value && (
        <WebhookActions
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
