import { useState } from 'preact/hooks';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { ErrorText } from '../../components/error-text.tsx';
import { Field } from '../../components/field.tsx';
import { changeWebhook } from '../../rest/webhooks.ts';
import type { Webhook } from '../../rest/shapes.ts';
import { useAction } from '../../state/use-action.ts';

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
