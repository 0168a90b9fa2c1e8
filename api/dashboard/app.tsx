import { Failure } from './components/failure.js';
import { Logo } from './components/logo.js';
import { Shell } from './shell/shell.js';
import { Toasts } from './shell/toasts.js';
import { RateBanner } from './shell/rate-banner.js';
import { loadSession, session, startFailure } from './state/session.js';
import { isOpeningShare } from './state/share-link.js';
import { ReplaceSession } from './views/share/replace-session.js';
import { SignIn } from './views/sign-in.js';

export function App() {
  return (
    <>
      <RateBanner />
      <Content />
      <ReplaceSession />
      <Toasts />
    </>
  );
}

function Content() {
  if (startFailure.value && !session.value) {
    return (
      <main class="centre">
        <Failure
          title="Cannot reach Mayfly"
          error={startFailure.value}
          onRetry={() => void loadSession()}
        />
      </main>
    );
  }
  if (session.value === undefined || (isOpeningShare.value && !session.value)) {
    return (
      <main class="centre is-starting" aria-busy="true" aria-label="Loading">
        <Logo />
      </main>
    );
  }
  // The key resets all view state when another workspace signs in.
  return session.value ? <Shell key={session.value.workspace.id} /> : <SignIn />;
}
