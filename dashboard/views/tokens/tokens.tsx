import { useState } from 'preact/hooks';
import { ButtonLink } from '../../components/button.tsx';
import { Page } from '../../components/page.tsx';
import { Failure, Notice, Skeleton } from '../../components/placeholders.tsx';
import { Secret } from '../../components/secret.tsx';
import type { CreatedToken } from '../../rest/shapes.ts';
import { listTokens } from '../../rest/tokens.ts';
import { to } from '../../routing/routes.ts';
import { mayManageTokens } from '../../state/session.ts';
import { useLoaded } from '../../state/use-loaded.ts';
import { useTitle } from '../../state/use-title.ts';
import { NewToken } from './new-token.tsx';
import { TokenTable } from './token-table.tsx';

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
