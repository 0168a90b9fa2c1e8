import { useState } from 'preact/hooks';
import { Button } from '../../components/button.tsx';
import { ErrorText } from '../../components/error-text.tsx';
import { Page } from '../../components/page.tsx';
import { Secret } from '../../components/secret.tsx';
import { listCredentials } from '../../rest/capture.ts';
import type { SmtpCredentialWithPassword } from '../../rest/shapes.ts';
import { go } from '../../routing/location.ts';
import { to } from '../../routing/routes.ts';
import { mayChange } from '../../state/session.ts';
import { useAction } from '../../state/use-action.ts';
import { useLoaded } from '../../state/use-loaded.ts';
import { useTitle } from '../../state/use-title.ts';
import { CredentialList } from './credential-list.tsx';
import { FrameworkSettings } from './framework-settings.tsx';
import { NewCredential } from './new-credential.tsx';
import { sendCaught } from './send-caught.ts';

/** Sets up an application so that this mailbox catches its mail. */
export function Connect({ name }: { name: string }) {
  useTitle(`Connect your app to ${name}`);
  const { value, error, reload } = useLoaded(name, () => listCredentials(name));
  const [made, setMade] = useState<SmtpCredentialWithPassword | null>(null);
  const test = useAction(async () => {
    await sendCaught(name);
    go(to.mailbox(name));
  });
  const take = (credential: SmtpCredentialWithPassword) => {
    setMade(credential);
    reload();
  };
  return (
    <Page
      title="Connect your app"
      lead={`An application that logs in with a credential of ${name} can send to any address. This mailbox catches its mail. No mail leaves Mayfly.`}
      back={{ href: to.mailbox(name), label: `Messages of ${name}` }}
    >
      {made && (
        <Secret
          title="SMTP URL"
          value={made.url}
          label="the SMTP URL"
          onDone={() => {
            setMade(null);
          }}
        />
      )}
      {mayChange.value && <NewCredential name={name} onMade={take} />}
      <ErrorText error={error} />
      <CredentialList name={name} credentials={value ?? []} onChange={reload} onRotated={take} />
      <FrameworkSettings
        credential={made ?? value?.[0] ?? null}
        password={made?.password ?? null}
      />
      {mayChange.value && (
        <div class="row">
          <Button icon="send" busy={test.isBusy} onClick={() => void test.run()}>
            Send a test mail
          </Button>
        </div>
      )}
      <ErrorText error={test.error} />
    </Page>
  );
}
