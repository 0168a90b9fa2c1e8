import { IconButton } from './components/button.tsx';
import { Icon } from './components/icon.tsx';
import { Logo } from './components/logo.tsx';
import { Failure } from './components/placeholders.tsx';
import { waitingUntil } from './rest/rate-limit.ts';
import { Shell } from './shell/shell.tsx';
import { now } from './state/clock.ts';
import { loadSession, session, startFailure } from './state/session.ts';
import { isOpeningShare } from './state/share-link.ts';
import { announcement, dismiss, toasts } from './state/toasts.ts';
import { ReplaceSession } from './views/share.tsx';
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
      <main class="center">
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
      <main class="center is-starting" aria-busy="true" aria-label="Loading">
        <Logo />
      </main>
    );
  }
  // The key resets all view state when another workspace signs in.
  return session.value ? <Shell key={session.value.workspace.id} /> : <SignIn />;
}

/** Shown while requests wait after a 429 response. */
function RateBanner() {
  const until = waitingUntil.value;
  if (until === null) return null;
  const seconds = Math.max(1, Math.ceil((until - now.value) / 1000));
  return (
    <div class="banner" role="status">
      <Icon name="clock" />
      <span>Rate limit of the workspace reached. Requests resume in {seconds} s.</span>
    </div>
  );
}

/** Toasts, and the screen reader announcements of new mail. */
function Toasts() {
  return (
    <>
      <div class="toasts" role="status" aria-live="polite">
        {toasts.value.map(({ id, text, tone, action }) => (
          <div key={id} class={`toast toast-${tone}`}>
            <span>{text}</span>
            {action && (
              <button type="button" class="toast-action" onClick={action.run}>
                {action.label}
              </button>
            )}
            <IconButton
              icon="close"
              label="Dismiss"
              onClick={() => {
                dismiss(id);
              }}
            />
          </div>
        ))}
      </div>
      <div class="visually-hidden" role="log" aria-live="polite">
        {announcement.value}
      </div>
    </>
  );
}
