import { useState } from 'preact/hooks';
import { Button } from '../../components/button.js';
import { ErrorText } from '../../components/error-text.js';
import { Page } from '../../components/page.js';
import { Secret } from '../../components/secret.js';
import { listCredentials } from '../../rest/capture.js';
import type { SmtpCredentialWithPassword } from '../../rest/shapes.js';
import { go } from '../../routing/location.js';
import { to } from '../../routing/routes.js';
import { mayChange } from '../../state/session.js';
import { useAction } from '../../state/use-action.js';
import { useLoaded } from '../../state/use-loaded.js';
import { useTitle } from '../../state/use-title.js';
import { CredentialList } from './credential-list.js';
import { FrameworkSettings } from './framework-settings.js';
import { NewCredential } from './new-credential.js';
import { sendCaught } from './send-caught.js';

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
