import { useState } from 'preact/hooks';
import {
  type Framework,
  frameworks,
  settingsOf,
} from '../../packages/shared/framework-settings.ts';
import { Button } from '../components/button.tsx';
import { CodeBlock } from '../components/copy-button.tsx';
import { AddForm, ErrorText } from '../components/form.tsx';
import { Page, useTitle } from '../components/page.tsx';
import { Secret } from '../components/secret.tsx';
import { Tabs } from '../components/tabs.tsx';
import { Time } from '../components/time.tsx';
import {
  createCredential,
  deleteCredential,
  listCredentials,
  rotatePassword,
} from '../rest/capture.ts';
import type { SmtpCredential, SmtpCredentialWithPassword } from '../rest/shapes.ts';
import { go, to } from '../routing/routes.ts';
import { useAction, useLoaded } from '../state/requests.ts';
import { mayChange, session } from '../state/session.ts';
import { sendCaught } from './test-mail.ts';

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
      {mayChange.value && (
        <AddForm
          id="credential-name"
          label="Name of the application"
          action="Create credential"
          input={{ placeholder: 'staging', maxLength: 200 }}
          onAdd={async (label) => {
            take(await createCredential(name, label));
          }}
        />
      )}
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

/** The credentials of a mailbox, with their last use. */
function CredentialList({
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

/** Settings of common frameworks, with the credential filled in. */
function FrameworkSettings({
  credential,
  password,
}: {
  credential: SmtpCredential | null;
  password: string | null;
}) {
  const [framework, setFramework] = useState<Framework>('variables');
  if (!credential) return null;
  const isSelfSigned = session.value?.smtp.selfSigned ?? false;
  const code = settingsOf({ ...credential, isSelfSigned, password: password ?? 'PASSWORD' });
  return (
    <section class="card" aria-label="Settings">
      <Tabs<Framework>
        label="Framework"
        panel="framework-settings"
        current={framework}
        onChange={setFramework}
        tabs={[...frameworks]}
      />
      <div id="framework-settings" role="tabpanel" aria-label={framework}>
        <CodeBlock code={code[framework]} label={`settings for ${framework}`} />
      </div>
      {password === null && (
        <p class="hint">The password is shown only once, after it is created.</p>
      )}
    </section>
  );
}
