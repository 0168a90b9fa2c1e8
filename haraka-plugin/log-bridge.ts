/** Forwards Haraka's log lines to the log of Mayfly. log.ini sets which lines Haraka writes. */
import constants from 'haraka-constants';
import type { Logger } from '../core/log.ts';

const LEVELS: Record<string, 'error' | 'warn' | 'debug'> = {
  EMERG: 'error',
  ALERT: 'error',
  CRIT: 'error',
  ERROR: 'error',
  WARN: 'warn',
};

/** A `log` hook. It returns OK so that Haraka does not print the line as well. */
export function bridgeLog(log: Logger) {
  const haraka = log.child({ subsystem: 'haraka' });
  return (next: Haraka.Next, _logger: unknown, item: Haraka.LogItem): void => {
    const level = LEVELS[item.level] ?? 'debug';
    if (haraka.isLevelEnabled(level)) {
      const [text, facts] = fields(item.data);
      haraka.log(level, text, facts);
    }
    next(constants.ok);
  };
}

/** Enables Haraka's debug lines if LOG_LEVEL is `debug`. */
export function matchLogLevel({ logger }: Haraka.Modules, log: Logger): void {
  if (log.isDebugEnabled()) logger.loglevel = logger.levels.DEBUG ?? logger.loglevel;
}

function fields(data: string): [message: string, fields: object] {
  try {
    const { message, uuid, origin } = JSON.parse(data) as Record<string, unknown>;
    return [String(message), { connection: uuid, origin }];
  } catch {
    return [data, {}];
  }
}
