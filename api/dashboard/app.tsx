import { Failure } from './components/failure.js';
import { Logo } from './components/logo.js';
import { Shell } from './shell/shell.js';
import { Toasts } from './shell/toasts.js';
import { RateBanner } from './shell/rate-banner.js';
import { loadSession, session, startFailure } from './state/session.js';
import { SignIn } from './views/sign-in.js';

export function App() {
  return (
    <>
      <RateBanner />
      <Content />
      <Toasts />
    </>
  );
}

function Content() {
  if (startFailure.value && !session.value) {
    return (
      <main class="centre">
        <Failure
          title="Mayfly does not answer"
          error={startFailure.value}
          onRetry={() => void loadSession()}
        />
      </main>
    );
  }
  if (session.value === undefined) {
    return (
      <main class="centre is-starting" aria-busy="true" aria-label="Loading">
        <Logo />
      </main>
    );
  }
  // Another workspace shows nothing of the one before.
  return session.value ? <Shell key={session.value.workspace.id} /> : <SignIn />;
}
