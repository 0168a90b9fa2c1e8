import { useState } from 'preact/hooks';
import { Button } from '../../components/button.js';
import { Dialog } from '../../components/dialog.js';
import { ErrorText } from '../../components/error-text.js';
import { Field } from '../../components/field.js';
import { changeWebhook } from '../../rest/webhooks.js';
import type { Webhook } from '../../rest/shapes.js';
import { useAction } from '../../state/use-action.js';

export function ChangeUrl({
  name,
  webhook,
  onChange,
  onClose,
}: {
  name: string;
  webhook: Webhook;
  onChange: (webhook: Webhook) => void;
  onClose: () => void;
}) {
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
