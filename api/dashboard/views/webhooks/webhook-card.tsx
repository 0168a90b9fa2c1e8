import { Time } from '../../components/time.js';
import { UrlText } from '../../components/url-text.js';
import type { Webhook } from '../../rest/shapes.js';
import { Link } from '../../routing/link.js';
import { to } from '../../routing/routes.js';
import { WebhookState } from './webhook-state.js';

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
