import { useState } from 'preact/hooks';
import { Button, ButtonLink } from '../components/button.tsx';
import { ErrorText, Field } from '../components/form.tsx';
import { Page } from '../components/page.tsx';
import { Failure, Notice, Skeleton } from '../components/placeholders.tsx';
import { Secret } from '../components/secret.tsx';
import type { CreatedToken, Role } from '../rest/shapes.ts';
import { createToken, listTokens } from '../rest/tokens.ts';
import { to } from '../routing/routes.ts';
import { mayManageTokens } from '../state/session.ts';
import { useAction } from '../state/use-action.ts';
import { useLoaded } from '../state/use-loaded.ts';
import { useTitle } from '../state/use-title.ts';
import { TokenTable, roleNames, roles } from './token-table.tsx';

export function Tokens() {
  useTitle('API tokens');
  if (!mayManageTokens.value) {
    return (
      <Notice icon="key" title="Admin role required">
        <p>
          To view, create and revoke tokens, sign in with a token that has the role admin and access
          to all mailboxes.
        </p>
        <ButtonLink href={to.mailboxes()}>All mailboxes</ButtonLink>
      </Notice>
    );
  }
  return <TokenPage />;
}

function TokenPage() {
  const { value, error, reload } = useLoaded('tokens', listTokens);
  const [made, setMade] = useState<CreatedToken | null>(null);
  return (
    <Page
      title="API tokens"
      lead="Tokens give access to the API of this workspace and to this dashboard."
      back={{ href: to.mailboxes(), label: 'All mailboxes', onlyNarrow: true }}
    >
      {made && (
        <Secret
          title={`Token ${made.name}`}
          value={made.token}
          label="the token"
          onDone={() => {
            setMade(null);
          }}
        />
      )}
      <NewToken
        onMade={(token) => {
          setMade(token);
          reload();
        }}
      />
      {error && !value && (
        <Failure title="The tokens could not be loaded" error={error} onRetry={reload} />
      )}
      {!error && !value && <Skeleton lines={4} />}
      {value && <TokenTable tokens={value} onRevoked={reload} />}
    </Page>
  );
}

function NewToken({ onMade }: { onMade: (token: CreatedToken) => void }) {
  const [name, setName] = useState('');
  const [role, setRole] = useState<Role>('member');
  const { run, isBusy, error } = useAction(async () => {
    onMade(await createToken({ name: name.trim(), role }));
    setName('');
  });
  return (
    <form
      class="card new-token"
      onSubmit={(event) => {
        event.preventDefault();
        void run();
      }}
    >
      <Field id="token-name" label="New token" help="A name to recognize the token by.">
        <input
          id="token-name"
          value={name}
          required
          maxLength={200}
          placeholder="ci"
          autocomplete="off"
          aria-describedby="token-name-help"
          onInput={(event) => {
            setName(event.currentTarget.value);
          }}
        />
      </Field>
      <Field id="token-role" label="Role" help={roles[role]}>
        <select
          id="token-role"
          value={role}
          aria-describedby="token-role-help"
          onChange={(event) => {
            const { value } = event.currentTarget;
            setRole(roleNames.find((one) => one === value) ?? 'member');
          }}
        >
          {roleNames.map((one) => (
            <option key={one} value={one}>
              {one}
            </option>
          ))}
        </select>
      </Field>
      <Button type="submit" tone="main" icon="plus" busy={isBusy}>
        Create token
      </Button>
      <ErrorText error={error} />
    </form>
  );
}
