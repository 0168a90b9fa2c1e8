import winston from 'winston';
import type { Config } from '../../core/config/config.ts';
import type { Context } from '../../core/context.ts';
import type { Logger } from '../../core/log.ts';
import { failStart, loadConfig } from '../../core/process/run-process.ts';

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

/** Runs a command with the database, Redis and blobs of the service. The service can be running. */
export async function withContext(
  run: (context: Context, config: Config) => Promise<void>,
): Promise<void> {
  const config = loadConfig('script');
  // Loaded on demand: an error in the command line is reported without loading the service.
  const { openContext } = await import('../../core/open-context.ts');
  const context = await openContext(config, openScriptLog());
  try {
    await run(context, config);
  } finally {
    await context.close();
  }
}

/** A log for command-line scripts: warnings and errors only, as plain lines on stderr. */
export function openScriptLog(): Logger {
  return winston.createLogger({
    level: 'warn',
    format: winston.format.printf((entry) =>
      ['mayfly', entry.message, entry.fault].filter(Boolean).join(': '),
    ),
    transports: [new winston.transports.Console({ stderrLevels: ['error', 'warn'] })],
  });
}
