import winston from 'winston';
import type { Logger } from '../../core/log.ts';

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
