/**
 * A redis-server of the test's own, where the processes of a data directory look for it, and with the
 * persistence that operators are asked for.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Redis } from 'ioredis';
import { embeddedRedisSocket } from '../../../core/config/redis.js';

export interface TestRedis {
  readonly socket: string;
  /** Starts it again, with the data it has kept, after a `kill`. */
  readonly start: () => Promise<void>;
  /** Ends it as a crash would. */
  readonly kill: () => Promise<void>;
  /** Makes it hang with its connections open, until `resume`. */
  readonly pause: () => void;
  readonly resume: () => void;
  /** Ends it, in whatever state it is. */
  readonly stop: () => Promise<void>;
}

/** Starts a redis-server for this data directory; resolves once it answers. */
export async function startRedis(dataDir: string): Promise<TestRedis> {
  const socket = embeddedRedisSocket(dataDir);
  const folder = dirname(socket);
  await mkdir(folder, { recursive: true });
  let child: ChildProcess | undefined;

  const start = async () => {
    child = spawn(
      'redis-server',
      ['--port', '0', '--unixsocket', socket, '--dir', folder, '--save', ''].concat([
        ...['--appendonly', 'yes', '--appendfsync', 'always'],
        ...['--maxmemory-policy', 'noeviction'],
      ]),
      { stdio: 'ignore' },
    );
    await answers(socket);
  };
  const kill = async () => {
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  };

  await start();
  return {
    socket,
    start,
    kill,
    pause: () => void child?.kill('SIGSTOP'),
    resume: () => void child?.kill('SIGCONT'),
    stop: kill,
  };
}

/** With `port 0` Redis never logs that it is ready: a PING is the only sign. */
async function answers(socket: string): Promise<void> {
  const redis = new Redis(socket, { maxRetriesPerRequest: null, retryStrategy: () => 10 });
  redis.on('error', () => {
    // the socket is not there yet
  });
  try {
    await redis.ping();
  } finally {
    redis.disconnect();
  }
}
