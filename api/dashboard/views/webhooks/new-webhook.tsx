import { useState } from 'preact/hooks';
import { Button } from '../../components/button.js';
import { ErrorText } from '../../components/error-text.js';
import { Field } from '../../components/field.js';
import { registerWebhook } from '../../rest/webhooks.js';
import type { WebhookWithSecret } from '../../rest/shapes.js';
import { useAction } from '../../state/use-action.js';

export function NewWebhook({
  name,
  onMade,
}: {
  name: string;
  onMade: (webhook: WebhookWithSecret) => void;
}) {
  const [url, setUrl] = useState('');
  const { run, isBusy, error } = useAction(async () => {
    onMade(await registerWebhook(name, url.trim()));
    setUrl('');
  });
  return (
    <form
      class="card"
      onSubmit={(event) => {
        event.preventDefault();
        void run();
      }}
    >
      <Field id="webhook-url" label="Register a URL">
        <div class="joined">
          <input
            id="webhook-url"
            type="url"
            required
            value={url}
            placeholder="https://example.com/hooks/mail"
            maxLength={2048}
            onInput={(event) => {
              setUrl(event.currentTarget.value);
            }}
          />
          <Button type="submit" tone="main" icon="plus" busy={isBusy}>
            Register
          </Button>
        </div>
      </Field>
      <ErrorText error={error} />
    </form>
  );
}
