/**
 * The Redis that `up` starts if REDIS_URL is not set. It listens on a Unix socket only and fsyncs
 * each command before it replies (appendfsync always), which the 250 to an SMTP client depends on.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Config } from '../../core/config/config.ts';
import { type ExitStatus, lastOutput } from '../../core/process/child-exit.ts';
import type { SuperviseOptions } from '../../core/process/supervise-child.ts';
import { findProgram } from './find-program.ts';
import { StartError } from './supervisor.ts';

const POLL_MS = 20;
const ANSWER_WITHIN_MS = 1000;
/** The Redis of an `up` that was just killed takes a moment to exit. */
const EXIT_TIMEOUT_MS = 3000;
/** Exit status of `flock` if another process holds the lock (EX_TEMPFAIL of sysexits.h). */
const LOCK_HELD = 75;
/** The child of an `up` that was just killed takes a moment to release the lock. */
const LOCK_TIMEOUT_SECONDS = 3;
/** Redis memory for everything but queued mail: job records, the recipient directory, buffers. */
const HEADROOM_BYTES = 256 * 1024 * 1024;

/** The data folder, the socket and the limit of queued mail. */
type RedisPlace = Pick<Config, 'dataDir' | 'redis' | 'maxQueuedBytes'>;

/**
 * @throws {StartError} if a Redis already listens on the socket: another `up` uses this data
 *   directory.
 */
export async function checkUnused(place: RedisPlace): Promise<void> {
  const giveUpAt = performance.now() + EXIT_TIMEOUT_MS;
  while ((await pingRedis(place.redis)) !== 'away') {
    if (performance.now() > giveUpAt) throw inUse(place);
    await delay(100);
  }
}

/**
 * Returns the supervision options of the embedded Redis.
 * @throws {StartError} if no redis-server is installed.
 */
export function embeddedRedis(
  place: RedisPlace,
  env: NodeJS.ProcessEnv,
  print: (line: string) => void,
): SuperviseOptions {
  const program = findProgram(env.PATH ?? '', ['redis-server', 'valkey-server']);
  if (!program) {
    throw new StartError(
      'Neither redis-server nor valkey-server is installed. Install one (Debian and Ubuntu: sudo apt-get install redis-server; Fedora: sudo dnf install valkey; macOS: brew install redis), or set REDIS_URL to a running one.',
    );
  }
  const folder = join(place.dataDir, 'redis');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const [command = program, ...args] = guarded(
    [program, ...settings(place, folder)],
    join(folder, 'lock'),
  );
  return {
    spawn: () => spawn(command, args, { env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] }),
    ready: (child) => untilAnswering(child, place.redis),
    print,
    quietStart: true, // suppresses the start banner, which appears at every log level
  };
}

/** The error for a Redis that exited before it was ready. */
export function redisFault(status: ExitStatus, place: RedisPlace): StartError {
  if (status.code === LOCK_HELD) return inUse(place);
  const reason = lastOutput(status).replace(/^\d+:\w+ .*? [.*#-] /, ''); // matches pid, role, date and level
  return new StartError(`Redis failed to start in ${join(place.dataDir, 'redis')}: ${reason}`);
}

/** No time limit: loading a large append-only file takes time. */
async function untilAnswering(child: ChildProcess, socket: string): Promise<void> {
  while (child.exitCode === null && child.signalCode === null) {
    if ((await pingRedis(socket)) === 'ready') return;
    await delay(POLL_MS);
  }
  await new Promise(() => undefined); // the supervisor reports the exit status
}

/** Sends PING to the Redis on a Unix socket; `away` if nothing listens there. */
function pingRedis(socketPath: string): Promise<'ready' | 'loading' | 'away'> {
  return new Promise((resolve) => {
    const socket = connect(socketPath, () => socket.write('PING\r\n'));
    socket.setTimeout(ANSWER_WITHIN_MS, () => socket.destroy());
    socket.once('data', (reply) => {
      resolve(reply.toString().startsWith('+PONG') ? 'ready' : 'loading');
      socket.destroy();
    });
    socket.on('error', () => {
      resolve('away');
    });
    socket.on('close', () => {
      resolve('away');
    });
  });
}

function inUse(place: RedisPlace): StartError {
  return new StartError(
    `Another Mayfly uses ${place.dataDir}. Stop it first, or set DATA_DIR to another directory.`,
  );
}

function settings(place: RedisPlace, folder: string): string[] {
  return Object.entries({
    port: '0',
    unixsocket: place.redis,
    unixsocketperm: '700',
    dir: folder,
    daemonize: 'no',
    loglevel: 'warning',
    save: '',
    appendonly: 'yes',
    appendfsync: 'always',
    'auto-aof-rewrite-percentage': '100',
    'auto-aof-rewrite-min-size': '64mb',
    maxmemory: `${place.maxQueuedBytes + HEADROOM_BYTES}`,
    'maxmemory-policy': 'noeviction',
  }).flatMap(([name, value]) => [`--${name}`, value]);
}

/**
 * Wraps a command so that the kernel kills it when this process dies, even by SIGKILL, and so that
 * it holds a lock on `lockFile` while it runs. Both come from util-linux; without util-linux the
 * command runs unguarded.
 */
function guarded(command: string[], lockFile: string): string[] {
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
