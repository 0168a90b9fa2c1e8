import { Failure } from './components/failure.tsx';
import { Logo } from './components/logo.tsx';
import { Shell } from './shell/shell.tsx';
import { Toasts } from './shell/toasts.tsx';
import { RateBanner } from './shell/rate-banner.tsx';
import { loadSession, session, startFailure } from './state/session.ts';
import { isOpeningShare } from './state/share-link.ts';
import { ReplaceSession } from './views/share/replace-session.tsx';
import { SignIn } from './views/sign-in.tsx';

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
