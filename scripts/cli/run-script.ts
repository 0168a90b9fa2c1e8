import { failStart } from '../../core/process/run-process.ts';

/** The command line does not match the usage text. */
export class UsageError extends Error {
  constructor(fault: string, usage: string) {
    super(`mayfly: ${fault}\n${usage}`);
    this.name = 'UsageError';
  }
}

/** Runs a command-line script. On failure it prints one error text and exits with 1. */
export function runScript(main: () => Promise<void>): void {
  main().catch((error: unknown) => {
    if (!(error instanceof UsageError)) {
      failStart(error);
      return;
    }
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  });
}
