import { runInNewContext } from 'node:vm';

/**
 * Calls a synchronous function and stops it after a time, so that a test of work that never ends
 * fails, where it would hold the whole run.
 *
 * @param limitMs far above what the function takes.
 * @throws `ERR_SCRIPT_EXECUTION_TIMEOUT` after that time
 */
export function inTime<T>(call: () => T, limitMs = 1000): T {
  return runInNewContext('call()', { call }, { timeout: limitMs });
}
