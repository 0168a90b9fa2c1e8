import { useState } from 'preact/hooks';
import { Button } from '../components/button.tsx';
import { ErrorText, Field } from '../components/form.tsx';
import { Icon } from '../components/icon.tsx';
import { Logo } from '../components/logo.tsx';
import { useTitle } from '../components/page.tsx';
import { go } from '../routing/routes.ts';
import { useAction } from '../state/requests.ts';
import { endedBecause, signIn } from '../state/session.ts';

/** Rendered in place of any view, so that the URL stays and opens after sign-in. */
export function SignIn() {
  useTitle('Sign in');
  const [token, setToken] = useState('');
  const { run, isBusy, error } = useAction(async () => {
    await signIn(token.trim());
    if (location.pathname === '/sign-in') go('/', { replace: true });
  });
  return (
    <main class="sign-in">
      <form
        class="sign-in-card"
        onSubmit={(event) => {
          event.preventDefault();
          void run();
        }}
      >
        <Logo />
        <h1>Sign in to Mayfly</h1>
        <p class="sign-in-lead">Disposable mailboxes that show mail as soon as it arrives.</p>
        {endedBecause.value !== null && (
          <p class="sign-in-reason" role="alert">
            <Icon name="alert" />
            <span>{endedBecause.value}</span>
          </p>
        )}
        <Field
          id="token"
          label="API token"
          help={
            <>
              <code>./scripts/up</code> prints one on its first start. The token is sent once and
              not stored in this browser.
            </>
          }
        >
          <input
            id="token"
            type="password"
            value={token}
            placeholder="mf_…"
            required
            autofocus
            autocomplete="off"
            spellcheck={false}
            aria-describedby="token-help"
            onInput={(event) => {
              setToken(event.currentTarget.value);
            }}
          />
        </Field>
        <ErrorText error={error}>
          {error?.status === 401 &&
            'Check the token for typing errors. It may also have been revoked.'}
        </ErrorText>
        <Button type="submit" tone="main" busy={isBusy} class="wide">
          {isBusy ? 'Signing in…' : 'Sign in'}
        </Button>
        <p class="sign-in-foot">
          <a href="/docs/">API reference</a>
        </p>
      </form>
    </main>
  );
}
