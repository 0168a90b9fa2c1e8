/** The current browser location as a signal. */
import { computed, signal } from '@preact/signals';
import { type Route, routeOf } from './routes.ts';

const path = signal(location.pathname);

addEventListener('popstate', () => {
  path.value = location.pathname;
});

export const route = computed<Route>(() => routeOf(path.value));

/** Navigates to a path. `replace` replaces the current history entry. */
export function go(target: string, { replace = false } = {}): void {
  if (target === location.pathname) return;
  if (replace) history.replaceState(null, '', target);
  else history.pushState(null, '', target);
  path.value = location.pathname;
}
