import { spawnSync } from 'node:child_process';

/** Exit status of `flock` if another process holds the lock (EX_TEMPFAIL of sysexits.h). */
export const LOCK_HELD = 75;

/** The child of an `up` that was just killed takes a moment to release the lock. */
const LOCK_TIMEOUT_SECONDS = 3;

/**
 * Wraps a command so that the kernel kills it when this process dies, even by SIGKILL, and so that
 * it holds a lock on `lockFile` while it runs. Both come from util-linux; without util-linux the
 * command runs unguarded.
 */
export function guarded(command: string[], lockFile: string): string[] {
  return [
    ...(isFromUtilLinux('setpriv') ? ['setpriv', '--pdeathsig', 'TERM'] : []),
    ...(isFromUtilLinux('flock')
      ? ['flock', '-w', `${LOCK_TIMEOUT_SECONDS}`, '-E', `${LOCK_HELD}`, '--no-fork', lockFile]
      : []),
    ...command,
  ];
}

/** BusyBox has programs of the same names with fewer options; the version text tells them apart. */
function isFromUtilLinux(program: string): boolean {
  const { status, stdout } = spawnSync(program, ['--version'], { encoding: 'utf8' });
  return status === 0 && stdout.includes('util-linux');
}
