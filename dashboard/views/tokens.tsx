import { useState } from 'preact/hooks';
import { Button, ButtonLink } from '../components/button.tsx';
import { ConfirmDialog } from '../components/dialog.tsx';
import { ErrorText, Field } from '../components/form.tsx';
import { Page, useTitle } from '../components/page.tsx';
import { Pill } from '../components/pill.tsx';
import { Failure, Notice, Skeleton } from '../components/placeholders.tsx';
import { Secret } from '../components/secret.tsx';
import { Time } from '../components/time.tsx';
import { createToken, listTokens, revokeToken } from '../rest/access.ts';
import type { CreatedToken, Role, Token } from '../rest/shapes.ts';
import { to } from '../routing/routes.ts';
import { useAction, useLoaded } from '../state/requests.ts';
import { mayManageTokens, session } from '../state/session.ts';
import { toast } from '../state/toasts.ts';

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

const roles: Record<Role, string> = {
  reader: 'Read-only access. For dashboards and monitoring.',
  member: 'Full access, except that it cannot manage tokens. For test suites and programs.',
  admin: 'Full access, including managing tokens.',
};

const roleNames = Object.keys(roles) as Role[];

function TokenTable({ tokens, onRevoked }: { tokens: Token[]; onRevoked: () => void }) {
  const [revoking, setRevoking] = useState<Token | null>(null);
  return (
    <>
      <ul class="token-list" aria-label="Tokens">
        {tokens.map((token) => (
          <TokenItem
            key={token.id}
            token={token}
            onRevoke={() => {
              setRevoking(token);
            }}
          />
        ))}
      </ul>
      {revoking && (
        <ConfirmDialog
          title={`Revoke ${revoking.name}?`}
          confirm="Revoke token"
          onConfirm={async () => {
            await revokeToken(revoking.id);
            toast(`Token ${revoking.name} revoked`);
            onRevoked();
          }}
          onClose={() => {
            setRevoking(null);
          }}
        >
          <p>Requests with this token fail at once, including those in progress.</p>
          {isOwn(revoking) && (
            <p>
              <strong>You are signed in with this token. Revoking it signs you out.</strong>
            </p>
          )}
        </ConfirmDialog>
      )}
    </>
  );
}

function TokenItem({ token, onRevoke }: { token: Token; onRevoke: () => void }) {
  const { name, prefix, role, lastUsedAt, createdAt, expiresAt, mailboxes } = token;
  return (
    <li class="token-item">
      <span class="token-name">
        <bdi>{name}</bdi>
        {isOwn(token) && <Pill tone="good">this session</Pill>}
        {mailboxes && <span class="token-scope">limited to {mailboxes.join(', ')}</span>}
      </span>
      <code class="token-prefix">{prefix}…</code>
      <span class="token-role" title={roles[role]}>
        {role}
      </span>
      <span class="token-times">
        {lastUsedAt === null ? (
          'never used'
        ) : (
          <>
            used <Time at={lastUsedAt} />
          </>
        )}
        {' · created '}
        <Time at={createdAt} />
        {expiresAt !== null && (
          <>
            {' · expires '}
            <Time at={expiresAt} />
          </>
        )}
      </span>
      <Button tone="quiet" class="is-danger" onClick={onRevoke} aria-label={`Revoke ${name}`}>
        Revoke
      </Button>
    </li>
  );
}

function isOwn({ id }: Token): boolean {
  return session.value?.token.id === id;
}
