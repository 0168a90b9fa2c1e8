import { Button } from '../../components/button.tsx';
import { ErrorText } from '../../components/error-text.tsx';
import { Time } from '../../components/time.tsx';
import { deleteCredential, rotatePassword } from '../../rest/capture.ts';
import type { SmtpCredential, SmtpCredentialWithPassword } from '../../rest/shapes.ts';
import { mayChange } from '../../state/session.ts';
import { useAction } from '../../state/use-action.ts';

/** The credentials of a mailbox, with their last use. */
export function CredentialList({
  name,
  credentials,
  onChange,
  onRotated,
}: {
  name: string;
  credentials: SmtpCredential[];
  onChange: () => void;
  onRotated: (credential: SmtpCredentialWithPassword) => void;
}) {
  const rotation = useAction(async (id: string) => {
    onRotated(await rotatePassword(name, id));
  });
  const deletion = useAction(async (id: string) => {
    await deleteCredential(name, id);
    onChange();
  });
  if (credentials.length === 0) return null;
  return (
    <section class="card" aria-label="SMTP credentials">
      <ul class="credential-list">
        {credentials.map(({ id, name: label, username, lastUsedAt }) => (
          <li key={id} class="row">
            <span class="grow">
              <strong>
                <bdi>{label}</bdi>
              </strong>{' '}
              <code>{username}</code>{' '}
              {lastUsedAt === null ? (
                'not used yet'
              ) : (
                <>
                  used <Time at={lastUsedAt} />
                </>
              )}
            </span>
            {mayChange.value && (
              <>
                <Button onClick={() => void rotation.run(id)}>Rotate password</Button>
                <Button onClick={() => void deletion.run(id)}>Delete</Button>
              </>
            )}
          </li>
        ))}
      </ul>
      <ErrorText error={rotation.error ?? deletion.error} />
    </section>
  );
}
