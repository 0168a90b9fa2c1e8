/**
 * The mark that the directories are complete. It names the Redis server that was complete: after a
 * failover, the new master can have the mark and lack recent entries, and a server that restarts
 * can have lost some. `run_id` changes with each start of a server, `master_replid` with each
 * promotion (redis.io/docs, "INFO").
 */
import type { RedisClient } from '../redis/client.ts';
import { SKIP_AOF_PREAMBLE } from '../redis/replication.ts';

const INSTANCE_FUNCTION = `
local function field(section, name)
  local info = redis.pcall('INFO', section)
  return type(info) == 'string' and info:match('\\n' .. name .. ':(%w+)') or ''
end
local function instance()
  return field('server', 'run_id') .. ' ' .. field('replication', 'master_replid')
end`;

/** Time that a server remembers its own name, in milliseconds. */
const NAME_KNOWN_MS = 1000;

/**
 * Lua function `isComplete(mark, name)`: 1 or 0. INFO takes four times as long as a lookup, so the
 * server keeps its name in the second key, which is not replicated.
 */
export const IS_COMPLETE_FUNCTION = `${INSTANCE_FUNCTION}
local function isComplete(mark, name)
  local complete = redis.call('GET', mark)
  if not complete then return 0 end
  local here = redis.call('GET', name)
  if not here then
    here = instance()${SKIP_AOF_PREAMBLE}
    redis.pcall('SET', name, here, 'PX', ${NAME_KNOWN_MS})
  end
  return complete == here and 1 or 0
end`;

const IS_COMPLETE = `${INSTANCE_FUNCTION}
return redis.call('GET', KEYS[1]) == instance() and 1 or 0`;

const INSTANCE = `${INSTANCE_FUNCTION}
return instance()`;

const SET_MARK = `${INSTANCE_FUNCTION}
if instance() == ARGV[1] then redis.call('SET', KEYS[1], ARGV[1]) end
return 1`;

export interface Completeness {
  /** The arguments of {@link IS_COMPLETE_FUNCTION}. */
  readonly keys: readonly [mark: string, name: string];
  isReached: () => Promise<boolean>;
  /** Sets the mark after `complete`, unless the server changed meanwhile. */
  reach: <Result>(complete: () => Promise<Result>) => Promise<Result>;
}

export function openCompleteness(redis: RedisClient, prefix: string): Completeness {
  const mark = `${prefix}:directory:complete`;
  return {
    // Not below `directory:`, whose changes SMTP processes follow.
    keys: [mark, `${prefix}:redis-name`],
    isReached: async () => (await redis.eval(IS_COMPLETE, 1, mark)) === 1,
    async reach(complete) {
      const instance = (await redis.eval(INSTANCE, 1, mark)) as string;
      const result = await complete();
      await redis.eval(SET_MARK, 1, mark, instance);
      return result;
    },
  };
}
