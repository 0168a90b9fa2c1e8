import { useState } from 'preact/hooks';
import { Failure } from '../../components/failure.js';
import { Notice } from '../../components/notice.js';
import { Page } from '../../components/page.js';
import { Secret } from '../../components/secret.js';
import { Skeleton } from '../../components/skeleton.js';
import { listWebhooks } from '../../rest/webhooks.js';
import type { WebhookWithSecret } from '../../rest/shapes.js';
import { to } from '../../routing/routes.js';
import { mayChange, session } from '../../state/session.js';
import { useLoaded } from '../../state/use-loaded.js';
import { useTitle } from '../../state/use-title.js';
import { NewWebhook } from './new-webhook.js';
import { useWebhookNews } from './use-webhook-news.js';
import { WebhookCard } from './webhook-card.js';

/** The webhooks of a mailbox. */
export function Webhooks({ name }: { name: string }) {
  useTitle(`Webhooks of ${name}`);
  const { value, error, reload } = useLoaded(name, () => listWebhooks(name));
  const [made, setMade] = useState<WebhookWithSecret | null>(null);
  useWebhookNews(name, reload);
  const limit = session.value?.limits.webhooksPerMailbox ?? null;
  return (
    <Page
      title="Webhooks"
      lead={`Each message of ${name} is sent to these URLs as a signed request.`}
      back={{ href: to.mailbox(name), label: `Messages of ${name}` }}
    >
      {made && (
        <Secret
          title="Signing secret"
          value={made.secret}
          label="the signing secret"
          onDone={() => {
            setMade(null);
          }}
        />
      )}
      {mayChange.value && (
        <NewWebhook
          name={name}
          onMade={(webhook) => {
            setMade(webhook);
            reload();
          }}
        />
      )}
      {error && !value && (
        <Failure title="The webhooks could not be loaded" error={error} onRetry={reload} />
      )}
      {!error && !value && <Skeleton lines={4} />}
      {value?.length === 0 && (
        <Notice icon="webhook" title="No webhooks yet">
          <p>
            Mayfly sends every message of this mailbox to the registered URLs as JSON. It retries
            failed deliveries. The page of a webhook lists every attempt.
          </p>
        </Notice>
      )}
      <ul class="webhook-list">
        {value?.map((webhook) => (
          <WebhookCard key={webhook.id} name={name} webhook={webhook} />
        ))}
      </ul>
      {limit !== null && (value?.length ?? 0) > limit - 5 && (
        <p class="hint">A mailbox can have up to {limit} webhooks.</p>
      )}
    </Page>
  );
}
