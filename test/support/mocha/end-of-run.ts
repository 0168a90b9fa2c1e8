/** Root hooks of mocha: closes what the tests of a process share after the last test. */
const closers: (() => Promise<unknown>)[] = [];

/**
 * Calls `close` after the last test. Not called in a process of a parallel run, which exits without
 * such an event.
 */
export function atEndOfRun(close: () => Promise<unknown>): void {
  closers.push(close);
}

export const mochaHooks = {
  async afterAll() {
    // In a parallel run this hook runs after each file.
    if (process.env.MOCHA_WORKER_ID !== undefined) return;
    await Promise.all(closers.splice(0).map((close) => close()));
  },
};
