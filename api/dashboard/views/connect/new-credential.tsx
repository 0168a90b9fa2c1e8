import { useState } from 'preact/hooks';
import { Button } from '../../components/button.js';
import { ErrorText } from '../../components/error-text.js';
import { Field } from '../../components/field.js';
import { createCredential } from '../../rest/capture.js';
import type { SmtpCredentialWithPassword } from '../../rest/shapes.js';
import { useAction } from '../../state/use-action.js';

export function NewCredential({
  name,
  onMade,
}: {
  name: string;
  onMade: (credential: SmtpCredentialWithPassword) => void;
}) {
  const [label, setLabel] = useState('');
  const { run, isBusy, error } = useAction(async () => {
    onMade(await createCredential(name, label.trim()));
    setLabel('');
  });
  return (
    <form
      class="card"
      onSubmit={(event) => {
        event.preventDefault();
        void run();
      }}
    >
      <Field id="credential-name" label="Name of the application">
        <div class="joined">
          <input
            id="credential-name"
            required
            value={label}
            placeholder="staging"
            maxLength={200}
            onInput={(event) => {
              setLabel(event.currentTarget.value);
            }}
          />
          <Button type="submit" tone="main" icon="plus" busy={isBusy}>
            Create credential
          </Button>
        </div>
      </Field>
      <ErrorText error={error} />
    </form>
  );
}
