/**
 * A redis-server for one test at a time, at the path where the processes of a data directory expect
 * it, with the recommended persistence settings.
 */
import { symlink, mkdir, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { embeddedRedisSocket } from '../../../core/config/redis.ts';
import { type RedisProcess, startRedisProcess } from './redis-process.ts';

export interface TestRedis {
  readonly socket: string;
  /** Starts it again with its data after a `kill`. */
  readonly start: () => Promise<void>;
  /** Ends it with SIGKILL. */
  readonly kill: () => Promise<void>;
  /** Makes it hang with its connections open, until `resume`. */
  readonly pause: () => void;
  readonly resume: () => void;
  /** Releases the server, in any state. */
  readonly stop: () => Promise<void>;
}

/**
 * Servers of this process that no test uses: emptying one takes a tenth of the time of starting
 * one.
 */
const idle: RedisProcess[] = [];

/**
 * An empty redis-server for this data directory; resolves once it answers. After `stop` another
 * test gets the server, unless this one has killed or paused it or changed its settings.
 */
export async function startRedis(dataDir: string): Promise<TestRedis> {
  const server = idle.pop() ?? (await startRedisProcess());
  const socket = embeddedRedisSocket(dataDir);
  await mkdir(dirname(socket), { recursive: true });
  await symlink(server.socket, socket);
  let isReusable = true;
  let isStopped = false;
  const disturb =
    <Result>(act: () => Result) =>
    () => {
      isReusable = false;
      return act();
    };

  return {
    socket,
    start: server.start,
    kill: disturb(server.kill),
    pause: disturb(server.pause),
    resume: server.resume,
    stop: async () => {
      if (isStopped) return;
      isStopped = true;
      // Clients that are still connected cannot reconnect.
      await unlink(socket);
      if (isReusable && (await server.empty())) idle.push(server);
      else await server.end();
    },
  };
}
