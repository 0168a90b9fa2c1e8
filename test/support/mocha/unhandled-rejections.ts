/**
 * Root hooks of mocha. An unhandled rejection fails the test that runs at that time. Without the
 * hooks, a process of a parallel run ignores it during a test, and exits because of it between two
 * files.
 */
const fail = (reason: unknown) => {
  throw reason instanceof Error ? reason : new Error(String(reason));
};

export const mochaHooks = {
  beforeAll() {
    process.on('unhandledRejection', fail);
  },
  afterAll() {
    process.off('unhandledRejection', fail);
  },
};
