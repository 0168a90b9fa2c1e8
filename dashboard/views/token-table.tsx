import { useState } from 'preact/hooks';
import { Button } from '../components/button.tsx';
import { ConfirmDialog } from '../components/dialog.tsx';
import { Pill } from '../components/pill.tsx';
import { Time } from '../components/time.tsx';
import type { Role, Token } from '../rest/shapes.ts';
import { revokeToken } from '../rest/tokens.ts';
import { session } from '../state/session.ts';
import { toast } from '../state/toasts.ts';

export const roles: Record<Role, string> = {
  reader: 'Read-only access. For dashboards and monitoring.',
  member: 'Full access, except that it cannot manage tokens. For test suites and programs.',
  admin: 'Full access, including managing tokens.',
};

export const roleNames = Object.keys(roles) as Role[];

export function TokenTable({ tokens, onRevoked }: { tokens: Token[]; onRevoked: () => void }) {
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
