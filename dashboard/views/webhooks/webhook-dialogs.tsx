import { useState } from 'preact/hooks';
import { Button } from '../../components/button.tsx';
import { ConfirmDialog, Dialog } from '../../components/dialog.tsx';
import { ErrorText, Field } from '../../components/form.tsx';
import { UrlText } from '../../components/url-text.tsx';
import type { Webhook } from '../../rest/shapes.ts';
import { changeWebhook, deleteWebhook, rotateSecret } from '../../rest/webhooks.ts';
import { go, to } from '../../routing/routes.ts';
import { useAction } from '../../state/requests.ts';
import { toast } from '../../state/toasts.ts';

const overlaps = [
  [86_400, 'a day'],
  [3600, 'an hour'],
  [0, '0 seconds (the previous secret has leaked)'],
] as const;

interface DialogProps {
  /** The name of the mailbox. */
  name: string;
  webhook: Webhook;
  onClose: () => void;
}

export function ChangeUrl({
  name,
  webhook,
  onChange,
  onClose,
}: DialogProps & { onChange: (webhook: Webhook) => void }) {
  const [url, setUrl] = useState(webhook.url);
  const { run, isBusy, error } = useAction(async () => {
    onChange(await changeWebhook(name, webhook.id, { url: url.trim() }));
    onClose();
  });
  return (
    <Dialog title="Change URL" onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void run();
        }}
      >
        <Field id="new-url" label="URL" help="Pending deliveries are sent to the new URL too.">
          <input
            id="new-url"
            type="url"
            required
            autofocus
            value={url}
            maxLength={2048}
            aria-describedby="new-url-help"
            onInput={(event) => {
              setUrl(event.currentTarget.value);
            }}
          />
        </Field>
        <ErrorText error={error} />
        <footer class="dialog-foot">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" tone="main" busy={isBusy}>
            Change URL
          </Button>
        </footer>
      </form>
    </Dialog>
  );
}

export function RotateSecret({
  name,
  webhook,
  onSecret,
  onClose,
}: DialogProps & { onSecret: (secret: string) => void }) {
  const [overlap, setOverlap] = useState<number>(overlaps[0][0]);
  const rotate = async () => {
    onSecret((await rotateSecret(name, webhook.id, overlap)).secret);
  };
  return (
    <ConfirmDialog
      title="Rotate the secret?"
      confirm="Rotate secret"
      tone="main"
      onConfirm={rotate}
      onClose={onClose}
    >
      <p>Deliveries are signed with the new secret at once. The new secret is shown once.</p>
      <Field id="overlap" label="Also sign with the previous secret for">
        <select
          id="overlap"
          value={overlap}
          onChange={(event) => {
            setOverlap(Number(event.currentTarget.value));
          }}
        >
          {overlaps.map(([seconds, label]) => (
            <option key={seconds} value={seconds}>
              {label}
            </option>
          ))}
        </select>
      </Field>
    </ConfirmDialog>
  );
}

export function DeleteWebhook({ name, webhook, onClose }: DialogProps) {
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
        receives no further requests. Pending retries are canceled. The signing secret becomes
        invalid.
      </p>
    </ConfirmDialog>
  );
}
