/**
 * Returns memory to the system that V8 keeps after a burst of work. V8 grows its heap while modules
 * load or mail arrives, and collects garbage only when it allocates, so an idle process stays as
 * large as in its busiest second (docs/decisions.md, 10).
 */
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const CHECK_EVERY_MS = 15_000;
/** Until then the other processes of the service start, and connections are made. */
const FIRST_AFTER_MS = 1_000;
/** An interval with less CPU time than this part of it counts as idle. */
const IDLE_SHARE = 0.02;
/** Free memory in the heap that is worth a collection, which takes about 30 ms. */
const WORTH_BYTES = 16 * 1024 * 1024;

/**
 * Collects garbage once after the start, and after each idle interval in which the heap has much
 * free memory.
 */
export function releaseMemoryWhenIdle(): void {
  const collect = garbageCollector();
  setTimeout(collect, FIRST_AFTER_MS).unref();
  let before = process.cpuUsage();
  setInterval(() => {
    const { user, system } = process.cpuUsage(before);
    before = process.cpuUsage();
    const isIdle = (user + system) / 1000 < CHECK_EVERY_MS * IDLE_SHARE;
    if (isIdle && freeBytes() > WORTH_BYTES) collect();
  }, CHECK_EVERY_MS).unref();
}

function freeBytes(): number {
  const { total_heap_size, used_heap_size } = getHeapStatistics();
  return total_heap_size - used_heap_size;
}

/** `gc` exists only in contexts that are made after the flag is set. */
function garbageCollector(): () => void {
  setFlagsFromString('--expose-gc');
  const gc: unknown = runInNewContext('gc');
  return () => {
    if (isCollector(gc)) gc({ type: 'major', execution: 'sync', flavor: 'last-resort' });
  };
}

function isCollector(value: unknown): value is NodeJS.GCFunction {
  return typeof value === 'function';
}
