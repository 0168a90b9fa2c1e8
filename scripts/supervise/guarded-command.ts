import { spawnSync } from 'node:child_process';

/** What `flock` exits with when another holds the lock (EX_TEMPFAIL of sysexits.h). */
export const LOCK_HELD = 75;

/** The one that an `up` just killed has started may take a moment to let go. */
const LOCK_TIMEOUT_SECONDS = 3;

/**
 * A command that the kernel ends when we die, even by SIGKILL, and that holds a lock on `lockFile` for
 * as long as it lives. Both guards are util-linux's; a system without it goes without them.
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
