import { AddForm } from '../../components/add-form.tsx';
import { createCredential } from '../../rest/capture.ts';
import type { SmtpCredentialWithPassword } from '../../rest/shapes.ts';

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
