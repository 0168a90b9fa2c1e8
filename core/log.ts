/** winston, one JSON line per event on stdout; the process and subsystem are fields of each line. */
import winston from 'winston';
import type { Config } from './config.js';

export type Logger = winston.Logger;

/** The root logger of a process; children add a `subsystem` and the ids of what they work on. */
export function openLog(config: Pick<Config, 'logLevel' | 'role'>): Logger {
  return winston.createLogger({
    level: config.logLevel,
    defaultMeta: { process: config.role, pid: process.pid },
    format: winston.format.combine(
      winston.format.timestamp(),
      winston.format.errors({ stack: true, cause: true }),
      winston.format.json(),
    ),
    transports: [new winston.transports.Console()],
  });
}
