import { useState } from 'preact/hooks';
import { ButtonLink } from '../../components/button.js';
import { Failure } from '../../components/failure.js';
import { Notice } from '../../components/notice.js';
import { Page } from '../../components/page.js';
import { Secret } from '../../components/secret.js';
import { Skeleton } from '../../components/skeleton.js';
import { listTokens } from '../../rest/tokens.js';
import type { CreatedToken } from '../../rest/shapes.js';
import { to } from '../../routing/routes.js';
import { mayManageTokens } from '../../state/session.js';
import { useLoaded } from '../../state/use-loaded.js';
import { useTitle } from '../../state/use-title.js';
import { NewToken } from './new-token.js';
import { TokenTable } from './token-table.js';

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
