/** The plugin as Haraka loads it. */
import { createHooks } from './hooks/hooks.js';

export function register(this: object): void {
  const { mayfly } = server.notes;
  if (!mayfly) throw new Error('the mayfly plugin is started by haraka-plugin/server');
  Object.assign(this, createHooks(mayfly));
}
