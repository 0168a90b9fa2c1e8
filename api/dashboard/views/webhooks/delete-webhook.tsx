import { ConfirmDialog } from '../../components/confirm-dialog.js';
import { UrlText } from '../../components/url-text.js';
import { deleteWebhook } from '../../rest/webhooks.js';
import type { Webhook } from '../../rest/shapes.js';
import { go } from '../../routing/location.js';
import { to } from '../../routing/routes.js';
import { toast } from '../../state/toasts.js';

export function DeleteWebhook({
  name,
  webhook,
  onClose,
}: {
  name: string;
  webhook: Webhook;
  onClose: () => void;
}) {
  const remove = async () => {
    await deleteWebhook(name, webhook.id);
    go(to.webhooks(name), { replace: true });
    toast('Webhook deleted');
  };
  return (
    <ConfirmDialog
      title="Delete this webhook?"
      confirm="Delete webhook"
      onConfirm={remove}
      onClose={onClose}
    >
      <p>
        <span class="webhook-url">
          <UrlText url={webhook.url} />
        </span>{' '}
        receives no further requests. Pending retries are cancelled. The signing secret becomes
        invalid.
      </p>
    </ConfirmDialog>
  );
}
