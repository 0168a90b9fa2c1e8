import { failStart } from '../../core/process/run-process.js';

/** A command line that says something else than the usage text. */
export class UsageError extends Error {
  constructor(fault: string, usage: string) {
    super(`mayfly: ${fault}\n${usage}`);
    this.name = 'UsageError';
  }
}

/** Runs a script that people type, and ends it with 1 and one clear text when it cannot do its work. */
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
