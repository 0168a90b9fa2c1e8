/** Entry point of the Haraka plugin. */
import { createHooks } from './hooks/hooks.js';

export function register(this: object): void {
  const { mayfly } = server.notes;
  if (!mayfly)
    throw new Error('the mayfly plugin runs only in a process started by haraka-plugin/server');
  Object.assign(this, createHooks(mayfly));
}
