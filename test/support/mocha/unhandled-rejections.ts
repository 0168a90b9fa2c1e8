/**
 * Root hooks of mocha. A rejection that nobody handles fails the test it falls into: the processes of a parallel
 * run would pass it over, and die of it when it comes between two files.
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
