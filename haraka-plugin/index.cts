/** Entry point of the Haraka plugin. Haraka loads CommonJS. */
export function register(this: object): void {
  const { mayfly } = server.notes;
  if (!mayfly)
    throw new Error('the mayfly plugin runs only in a process started by haraka-plugin/server');
  Object.assign(this, mayfly);
}
