/** The signed-in session. The token is never stored; the session cookie is HttpOnly. */
import { computed, effect, signal } from '@preact/signals';
import { endSession, getSession, signInWith } from '../rest/access.ts';
import { ApiError } from '../rest/api-error.ts';
import { csrfToken, refusal } from '../rest/request.ts';
import type { Session } from '../rest/shapes.ts';

/** Null if nobody is signed in; undefined until that is known. */
export const session = signal<Session | null | undefined>(undefined);

/** The reason if the session ended without a sign-out. */
export const endedBecause = signal<string | null>(null);

/** Set if the session could not be requested at start. */
export const startFailure = signal<ApiError | null>(null);

export const mayChange = computed(() => session.value?.token.role !== 'reader');
/** A narrow token manages no tokens, whatever its role. */
export const mayManageTokens = computed(() => {
  const token = session.value?.token;
  return token?.role === 'admin' && token.mailboxes === null;
});

export async function loadSession(): Promise<void> {
  startFailure.value = null;
  try {
    begin(await getSession());
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.status === 401) session.value = null;
    else startFailure.value = error;
  }
}

/**
 * @throws {ApiError} if the token is not valid, or the browser does not store the session cookie.
 */
export async function signIn(token: string): Promise<void> {
  const begun = await signInWith(token);
  if (!(await isKept(begun))) throw notKept(begun.publicUrl, location);
  begin(begun);
}

/**
 * Needs a second request: scripts cannot read the cookie, and an older cookie may still be present.
 */
async function isKept({ csrfToken }: Session): Promise<boolean> {
  try {
    return (await getSession()).csrfToken === csrfToken;
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) return false;
    throw error;
  }
}

/**
 * The error for a session whose cookie the browser dropped. If `publicUrl` is https, the cookie is
 * `Secure`, and browsers reject a `Secure` cookie on a plain HTTP page (RFC 6265bis section 5.7).
 */
function notKept(publicUrl: string, page: { protocol: string; origin: string }): ApiError {
  const isPlain = page.protocol === 'http:' && publicUrl.startsWith('https:');
  const text = isPlain
    ? `Cannot sign in over plain HTTP: PUBLIC_URL of this Mayfly is an https URL. ` +
      `Open ${publicUrl} and sign in there. If that URL does not work, ask the operator to set ` +
      `PUBLIC_URL to ${page.origin} and restart Mayfly.`
    : 'The browser did not store the session cookie. Allow cookies for this site, then sign in again.';
  return new ApiError(text, 'session_not_kept', null);
}

export async function signOut(): Promise<void> {
  await endSession();
  endWithReason(null);
}

/** Shows the sign-in page with the reason. */
export function endWithReason(reason: string | null): void {
  endedBecause.value = reason;
  csrfToken.value = null;
  session.value = null;
}

function begin(current: Session): void {
  refusal.value = null;
  endedBecause.value = null;
  csrfToken.value = current.csrfToken;
  session.value = current;
}

effect(() => {
  if (refusal.value !== null && session.peek())
    endWithReason(`You are signed out: ${refusal.value}`);
});
