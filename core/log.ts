/**
 * Logging with winston: one JSON line per event on stdout, with process and subsystem as fields.
 */
import winston from 'winston';

export type Logger = winston.Logger;

export interface LogOptions {
  logLevel: string;
  /** The process that logs: `web`, `worker`, `smtp` or a command. */
  role: string;
}

/** The root logger of a process; child loggers add a `subsystem` and ids. */
export function openLog({ logLevel, role }: LogOptions): Logger {
  return winston.createLogger({
    level: logLevel,
    defaultMeta: { process: role, pid: process.pid },
    format: winston.format.combine(
      winston.format.timestamp(),
      errorsInFull(),
      winston.format.json(),
    ),
    transports: [new winston.transports.Console()],
  });
}

/** JSON.stringify omits the properties of an Error, so message, code and stack are copied. */
const errorsInFull = winston.format((info) => {
  for (const [key, value] of Object.entries(info)) {
    if (value instanceof Error) info[key] = describe(value);
  }
  return info;
});

function describe(error: Error): object {
  const code = 'code' in error ? { code: error.code } : {};
  const cause = error.cause instanceof Error ? { cause: describe(error.cause) } : {};
  return { message: error.message, ...code, stack: error.stack, ...cause };
}
