/** What the mailboxes have in common that test runners create for their tests. */

/** Seconds that the mailbox of a failed test stays. */
export const KEPT_SECONDS = 900;

/**
 * The labels of the mailbox of a test. A run in CI has its number; another one that of the process
 * of the runner.
 * @param titles of the file, the suites and the test
 */
export function labelsOf(worker: string, titles: string[]): Record<string, string> {
  const { MAYFLY_RUN, GITHUB_RUN_ID } = process.env;
  return {
    run: MAYFLY_RUN ?? GITHUB_RUN_ID ?? `local-${process.ppid}`,
    worker,
    test: titles
      .join(' > ')
      .replace(/[^ -~]/g, '?')
      .slice(0, 100),
  };
}

/** The test may have deleted its mailbox. */
export function ignoreGone(error: unknown): void {
  if (!(error instanceof Error && 'status' in error && error.status === 404)) throw error;
}
