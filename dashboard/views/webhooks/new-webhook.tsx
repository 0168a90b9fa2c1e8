import { useState } from 'preact/hooks';
import { AddForm } from '../../components/add-form.tsx';
import { registerWebhook } from '../../rest/webhooks.ts';
import type { WebhookWithSecret } from '../../rest/shapes.ts';

export function NewWebhook({
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
