/**
 * Maps paths to views, and is the router. Every view has its own path, so it can be linked and
 * reached through the history.
 */
import { computed, signal } from '@preact/signals';

export type Route =
  | { view: 'mailboxes' }
  | { view: 'tokens' }
  /** The messages of all mailboxes; `open` is the open one. */
  | { view: 'all'; open: { name: string; id: string } | null }
  | { view: 'mailbox'; name: string }
  | { view: 'message'; name: string; id: string }
  | { view: 'compose'; name: string }
  | { view: 'connect'; name: string }
  | { view: 'webhooks'; name: string }
  | { view: 'webhook'; name: string; id: string }
  | { view: 'unknown' };

const part = encodeURIComponent;
const mailbox = (name: string) => `/mailboxes/${part(name)}`;

/** Builds the path of each view. */
export const to = {
  mailboxes: () => '/mailboxes',
  tokens: () => '/tokens',
  mailbox,
  all: () => '/messages',
  allMessage: (name: string, id: string) => `/messages/${part(name)}/${part(id)}`,
  message: (name: string, id: string) => `${mailbox(name)}/messages/${part(id)}`,
  compose: (name: string) => `${mailbox(name)}/compose`,
  connect: (name: string) => `${mailbox(name)}/connect`,
  webhooks: (name: string) => `${mailbox(name)}/webhooks`,
  webhook: (name: string, id: string) => `${mailbox(name)}/webhooks/${part(id)}`,
};

export function routeOf(path: string): Route {
  const parts = path.split('/').filter(Boolean).map(decode);
  const [first, name, what, id] = parts;
  if (first === undefined || first === 'sign-in') return { view: 'mailboxes' };
  if (first === 'tokens') return { view: 'tokens' };
  if (first === 'messages' && parts.length === 1) return { view: 'all', open: null };
  if (first === 'messages' && parts.length === 3 && name && what) {
    return { view: 'all', open: { name, id: what } };
  }
  if (first !== 'mailboxes' || parts.length > 4) return { view: 'unknown' };
  if (name === undefined) return { view: 'mailboxes' };
  if (what === undefined) return { view: 'mailbox', name };
  if (what === 'messages') return id ? { view: 'message', name, id } : { view: 'mailbox', name };
  if (what === 'webhooks') return id ? { view: 'webhook', name, id } : { view: 'webhooks', name };
  if (what === 'connect' && id === undefined) return { view: 'connect', name };
  if (what === 'compose' && id === undefined) return { view: 'compose', name };
  return { view: 'unknown' };
}

/** The id of the message that is open; null without one. */
export function openIdOf(route: Route): string | null {
  if (route.view === 'message') return route.id;
  return route.view === 'all' ? (route.open?.id ?? null) : null;
}

const path = signal(location.pathname);

addEventListener('popstate', () => {
  path.value = location.pathname;
});

/** The route of the current browser location. */
export const route = computed<Route>(() => routeOf(path.value));

/** Navigates to a path. `replace` replaces the current history entry. */
export function go(target: string, { replace = false } = {}): void {
  if (target === location.pathname) return;
  if (replace) history.replaceState(null, '', target);
  else history.pushState(null, '', target);
  path.value = location.pathname;
}

/** A path that is not valid percent-encoding matches no route. */
function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
