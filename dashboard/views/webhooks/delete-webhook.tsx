import { ConfirmDialog } from '../../components/dialog.tsx';
import { UrlText } from '../../components/url-text.tsx';
import type { Webhook } from '../../rest/shapes.ts';
import { deleteWebhook } from '../../rest/webhooks.ts';
import { go } from '../../routing/location.ts';
import { to } from '../../routing/routes.ts';
import { toast } from '../../state/toasts.ts';

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
