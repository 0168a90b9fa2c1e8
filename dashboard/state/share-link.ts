/**
 * Share links: the URL of a view with a narrow token of the role reader in its fragment. Browsers
 * do not send the fragment. The token becomes a session at once and is stored nowhere.
 */
import { signal } from '@preact/signals';
import { readSessionOf } from '../rest/access.ts';
import { ApiError, toApiError } from '../rest/api-error.ts';
import type { Session } from '../rest/shapes.ts';
import { endWithReason, loadSession, session, signIn, signOut } from './session.ts';
import { toast } from './toasts.ts';

const FRAGMENT = /^#share=(.*)$/;
const TOKEN = /^mf_[0-9A-Za-z]{43}$/;

/** A share link that waits for the consent of the user who is signed in. */
export interface Offer {
  token: string;
  shared: Session['token'];
}

export const offer = signal<Offer | null>(null);
export const isOpeningShare = signal(false);

export function shareUrl(path: string, token: string): string {
  return `${location.origin}${path}#share=${token}`;
}

/** Reads the token of a share link and removes it from the address bar. Null without one. */
export function consumeShareToken(): string | null {
  const token = FRAGMENT.exec(location.hash)?.[1];
  if (token === undefined) return null;
  history.replaceState(null, '', location.pathname + location.search);
  return token;
}

/** Opens share links that are pasted while the dashboard is open: only the fragment changes. */
export function watchShareLinks(): void {
  addEventListener('hashchange', () => {
    const token = consumeShareToken();
    if (token !== null) void openShareLink(token);
  });
}

/** Signs in with the token. If somebody else is signed in, makes an offer instead. */
export async function openShareLink(token: string): Promise<void> {
  isOpeningShare.value = true;
  try {
    if (session.peek() === undefined) await loadSession();
    const shared = await readShare(token);
    const current = session.peek();
    if (current === null) await signIn(token);
    else if (current && current.token.id !== shared.id) offer.value = { token, shared };
  } catch (thrown) {
    refuse(toApiError(thrown));
  } finally {
    isOpeningShare.value = false;
  }
}

/** Ends the current session and signs in with the offered token. @throws {ApiError} */
export async function acceptOffer({ token }: Offer): Promise<void> {
  isOpeningShare.value = true;
  try {
    if (session.peek()) await signOut();
    await signIn(token);
  } finally {
    isOpeningShare.value = false;
  }
}

/** A link with any other token could sign users in to a workspace that they take for their own. */
async function readShare(token: string): Promise<Session['token']> {
  if (!TOKEN.test(token)) throw refused('The share link is incomplete. Copy the whole link.');
  const { token: shared } = await readSessionOf(token);
  if (shared.role === 'reader' && shared.mailboxes !== null) return shared;
  throw refused('The link was not opened: its token can do more than read certain mailboxes.');
}

const refused = (text: string) => new ApiError(text, 'share_refused', null);

function refuse(error: ApiError): void {
  const text =
    error.status === 401
      ? 'The share link has expired or was revoked. Ask for a new one.'
      : error.message;
  if (session.peek()) toast(text, { tone: 'bad' });
  else if (session.peek() === null) endWithReason(text);
}
