import { useState } from 'preact/hooks';
import { Page } from '../../components/page.tsx';
import { Failure, Notice, Skeleton } from '../../components/placeholders.tsx';
import { Secret } from '../../components/secret.tsx';
import type { WebhookWithSecret } from '../../rest/shapes.ts';
import { listWebhooks } from '../../rest/webhooks.ts';
import { to } from '../../routing/routes.ts';
import { mayChange, session } from '../../state/session.ts';
import { useLoaded } from '../../state/use-loaded.ts';
import { useTitle } from '../../state/use-title.ts';
import { NewWebhook } from './new-webhook.tsx';
import { useWebhookNews } from './use-webhook-news.ts';
import { WebhookCard } from './webhook-card.tsx';

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
