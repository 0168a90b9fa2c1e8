import { Time } from '../../components/time.tsx';
import { UrlText } from '../../components/url-text.tsx';
import type { Webhook } from '../../rest/shapes.ts';
import { Link } from '../../routing/link.tsx';
import { to } from '../../routing/routes.ts';
import { WebhookState } from './webhook-state.tsx';

export function WebhookCard({ name, webhook }: { name: string; webhook: Webhook }) {
  return (
    <li>
      <Link href={to.webhook(name, webhook.id)} class="webhook-card">
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
      </Link>
    </li>
  );
}
