import { useState } from 'preact/hooks';
import { AddForm } from '../../components/form.tsx';
import { Page, useTitle } from '../../components/page.tsx';
import { Failure, Notice, Skeleton } from '../../components/placeholders.tsx';
import { Secret } from '../../components/secret.tsx';
import { Time } from '../../components/time.tsx';
import { UrlText } from '../../components/url-text.tsx';
import type { Webhook, WebhookWithSecret } from '../../rest/shapes.ts';
import { listWebhooks, registerWebhook } from '../../rest/webhooks.ts';
import { ViewLink } from '../../routing/link.tsx';
import { to } from '../../routing/routes.ts';
import { useLoaded } from '../../state/requests.ts';
import { mayChange, session } from '../../state/session.ts';
import { useWebhookChanges } from './use-webhook-changes.ts';
import { WebhookState } from './webhook-status.tsx';

/** The webhooks of a mailbox. */
export function Webhooks({ name }: { name: string }) {
  useTitle(`Webhooks of ${name}`);
  const { value, error, reload } = useLoaded(name, () => listWebhooks(name));
  const [made, setMade] = useState<WebhookWithSecret | null>(null);
  useWebhookChanges(name, reload);
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

function WebhookCard({ name, webhook }: { name: string; webhook: Webhook }) {
  return (
    <li>
      <ViewLink href={to.webhook(name, webhook.id)} class="webhook-card">
        <span class="webhook-card-head">
          <span class="webhook-url">
            <UrlText url={webhook.url} />
          </span>
          <WebhookState webhook={webhook} />
        </span>
        <span class="webhook-facts">
          <span>
            {webhook.lastSuccessAt === null ? (
              'No successful delivery yet'
            ) : (
              <>
                Last delivered <Time at={webhook.lastSuccessAt} />
              </>
            )}
          </span>
          {webhook.failingSince !== null && (
            <span class="is-bad">
              Failing since <Time at={webhook.failingSince} />
            </span>
          )}
        </span>
      </ViewLink>
    </li>
  );
}

function NewWebhook({
  name,
  onMade,
}: {
  name: string;
  onMade: (webhook: WebhookWithSecret) => void;
}) {
  const [isIncluded, setIncluded] = useState(false);
  return (
    <AddForm
      id="webhook-url"
      label="Register a URL"
      action="Register"
      input={{ type: 'url', placeholder: 'https://example.com/hooks/mail', maxLength: 2048 }}
      onAdd={async (url) => {
        onMade(await registerWebhook(name, url, isIncluded ? ['extracted'] : []));
      }}
    >
      <label class="check">
        <input
          type="checkbox"
          checked={isIncluded}
          onChange={(event) => {
            setIncluded(event.currentTarget.checked);
          }}
        />
        Include extracted codes and links
      </label>
    </AddForm>
  );
}
