/** Where the browser is, as a signal; history and links do the rest. */
import { computed, signal } from '@preact/signals';
import { type Route, routeOf } from './routes.js';

const path = signal(location.pathname);

addEventListener('popstate', () => {
  path.value = location.pathname;
});

export const route = computed<Route>(() => routeOf(path.value));

/** Goes to a path, as a link does; with `replace` the one before is not gone back to. */
export function go(target: string, { replace = false } = {}): void {
  if (target === location.pathname) return;
  if (replace) history.replaceState(null, '', target);
  else history.pushState(null, '', target);
  path.value = location.pathname;
}
