import { AddForm } from '../../components/add-form.js';
import { createCredential } from '../../rest/capture.js';
import type { SmtpCredentialWithPassword } from '../../rest/shapes.js';

export function NewCredential({
  name,
  onMade,
}: {
  name: string;
  onMade: (credential: SmtpCredentialWithPassword) => void;
}) {
  return (
    <AddForm
      id="credential-name"
      label="Name of the application"
      action="Create credential"
      input={{ placeholder: 'staging', maxLength: 200 }}
      onAdd={async (label) => {
        onMade(await createCredential(name, label));
      }}
    />
  );
}
