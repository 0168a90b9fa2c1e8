/** Root hooks of mocha: what the tests of a process share is closed after the last of them. */
const closers: (() => Promise<unknown>)[] = [];

/** Calls this after the last test. A process of a parallel run does not: it learns of no last test, and exits. */
export function atEndOfRun(close: () => Promise<unknown>): void {
  closers.push(close);
}

export const mochaHooks = {
  async afterAll() {
    // In a parallel run this comes after each file.
    if (process.env.MOCHA_WORKER_ID !== undefined) return;
    await Promise.all(closers.splice(0).map((close) => close()));
  },
};
