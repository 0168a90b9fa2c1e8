/** A redis-server on a unix socket. It ends with this process at the latest. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { makeTempDir } from '../context/temp-dir.ts';

/** Below the size at which Redis starts to rewrite the file. */
const MAX_AOF_BYTES = 32 * 1024 * 1024;

const SETTINGS = {
  appendonly: 'yes',
  appendfsync: 'always',
  maxmemory: '0',
  'maxmemory-policy': 'noeviction',
};

export interface RedisProcess {
  readonly socket: string;
  /** Starts it again with its data after a `kill`. */
  readonly start: () => Promise<void>;
  readonly kill: () => Promise<void>;
  readonly pause: () => void;
  readonly resume: () => void;
  /** Closes all connections and deletes all data. Returns false if its settings have changed. */
  readonly empty: () => Promise<boolean>;
  /** Kills it, and removes its folder. */
  readonly end: () => Promise<void>;
}

/** Starts a redis-server in a folder of its own; resolves once it answers. */
export async function startRedisProcess(): Promise<RedisProcess> {
  const folder = await makeTempDir();
  const socket = join(folder.path, 'redis.sock');
  let child: ChildProcess | undefined;

  const start = async () => {
    const settings = Object.entries(SETTINGS).flatMap(([name, value]) => [`--${name}`, value]);
    child = spawn(
      'redis-server',
      ['--port', '0', '--unixsocket', socket, '--dir', folder.path, '--save', '', ...settings],
      { stdio: 'ignore' },
    );
    child.unref();
    await answers(socket);
  };
  const kill = async () => {
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.ref();
    child.kill('SIGKILL');
    await gone;
  };
  const endAtExit = () => {
    child?.kill('SIGKILL');
    rmSync(folder.path, { recursive: true, force: true });
  };
  process.once('exit', endAtExit);

  await start();
  return {
    socket,
    start,
    kill,
    pause: () => void child?.kill('SIGSTOP'),
    resume: () => void child?.kill('SIGCONT'),
    empty: () => empty(socket),
    end: async () => {
      process.off('exit', endAtExit);
      await kill();
      await folder.remove();
    },
  };
}

async function empty(socket: string): Promise<boolean> {
  const redis = new Redis(socket, { retryStrategy: () => null });
  redis.on('error', () => undefined); // each command rejects as well
  try {
    await redis.call('CLIENT', 'KILL', 'TYPE', 'normal');
    await redis.call('CLIENT', 'KILL', 'TYPE', 'pubsub');
    await redis.flushall('SYNC');
    for (const [name, value] of Object.entries(SETTINGS)) {
      const reply = (await redis.config('GET', name)) as string[] | Record<string, string>;
      if ((Array.isArray(reply) ? reply[1] : reply[name]) !== value) return false;
    }
    const [, size] = /aof_current_size:(\d+)/.exec(await redis.info('persistence')) ?? [];
    return Number(size) < MAX_AOF_BYTES;
  } catch {
    return false;
  } finally {
    redis.disconnect();
  }
}

/** Waits for a reply to PING: with `port 0` Redis does not log that it is ready. */
async function answers(socket: string): Promise<void> {
  const redis = new Redis(socket, { maxRetriesPerRequest: null, retryStrategy: () => 10 });
  redis.on('error', () => {
    // the socket does not exist yet
  });
  try {
    await redis.ping();
  } finally {
    redis.disconnect();
  }
}
