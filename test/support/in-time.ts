import { runInNewContext } from 'node:vm';

/** Milliseconds after which work is stopped, far above its limit on a busy machine. */
const STOP_MS = 60_000;

/**
 * Calls a synchronous function and judges the CPU time of this thread, which other work of the
 * machine does not change. Work that never ends is stopped, so that its test fails, where it would
 * hold the whole run.
 *
 * @param limitMs CPU milliseconds, far above what the function takes.
 * @throws Error above the limit; `ERR_SCRIPT_EXECUTION_TIMEOUT` for work that was stopped
 */
export function inTime<T>(call: () => T, limitMs = 1000): T {
  const before = process.threadCpuUsage();
  const result: T = runInNewContext('call()', { call }, { timeout: STOP_MS });
  const { user, system } = process.threadCpuUsage(before);
  const spentMs = (user + system) / 1000;
  if (spentMs > limitMs) throw new Error(`took ${spentMs} ms of CPU instead of ${limitMs}`);
  return result;
}
