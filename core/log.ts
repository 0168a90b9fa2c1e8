/** winston, one JSON line per event on stdout; the process and subsystem are fields of each line. */
import winston from 'winston';

export type Logger = winston.Logger;

export interface LogOptions {
  logLevel: string;
  /** The process that logs: `web`, `worker`, `smtp` or a command. */
  role: string;
}

/** The root logger of a process; children add a `subsystem` and the ids of what they work on. */
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

/** An Error has nothing JSON would show; its text, code and stack are what a log is read for. */
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
