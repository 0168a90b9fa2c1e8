/**
 * The events of the last hour, in one Redis stream per workspace, and the channel on which all
 * processes receive new ones. Events are not written to the append-only file, because they do not
 * justify an fsync. A client that reconnects after Redis has lost them is told that events may be
 * missing. The publisher adds them after the commit that caused them.
 */
import type { RedisClient } from '../redis/client.ts';
import { type LiveEvent, type PublishedEvent, isLater } from './event.ts';
import { SKIP_AOF_PREAMBLE } from '../redis/replication.ts';
import { errorText } from '../errors.ts';
import type { Logger } from '../log.ts';

const MAX_EVENTS = 10_000;
const KEEP_SECONDS = 3600;
/** Redis serves no one else during a call. */
const ADDED_AT_ONCE = 500;

const ADD = `${SKIP_AOF_PREAMBLE}
for i = 5, #ARGV do
  local id = redis.call('XADD', KEYS[1], 'MAXLEN', '~', ARGV[1], '*', 'event', ARGV[i])
  redis.call('PUBLISH', ARGV[3], ARGV[4] .. ' ' .. id .. ' ' .. ARGV[i])
end
redis.call('EXPIRE', KEYS[1], ARGV[2])`;

/** A stream without entries has no start id, so it gets a mark, which is not an event. */
const READ = `${SKIP_AOF_PREAMBLE}
if redis.call('EXISTS', KEYS[1]) == 0 then
  redis.call('XADD', KEYS[1], '*', 'mark', '')
end
redis.call('EXPIRE', KEYS[1], ARGV[1])
local first = redis.call('XRANGE', KEYS[1], '-', '+', 'COUNT', 1)[1][1]
local last = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)[1][1]
local after = ARGV[2] == '' and {} or redis.call('XRANGE', KEYS[1], '(' .. ARGV[2], '+')
return { first, last, after }`;

interface Scripts {
  mayflyAddEvents: (...args: (string | number | string[])[]) => Promise<null>;
  mayflyReadEvents: (
    ...args: (string | number)[]
  ) => Promise<[first: string, last: string, after: [id: string, fields: string[]][]]>;
}

const ID = /^\d{1,15}-\d{1,9}$/;

/** Events after a given one; `isWhole` is false if some of them are no longer known. */
export interface MissedEvents {
  events: PublishedEvent[];
  /** Id of the newest event. */
  last: string;
  isWhole: boolean;
}

export interface EventHistory {
  /** Where new events are published, as `WORKSPACE ID EVENT`. */
  readonly channel: string;
  add: (workspaceId: string, events: LiveEvent[]) => Promise<void>;
  /** Events after an id; none without an id. */
  read: (workspaceId: string, after: string | undefined) => Promise<MissedEvents>;
}

export function openEventHistory(redis: RedisClient, prefix: string): EventHistory {
  redis.defineCommand('mayflyAddEvents', { numberOfKeys: 1, lua: ADD });
  redis.defineCommand('mayflyReadEvents', { numberOfKeys: 1, lua: READ });
  const scripts = redis as RedisClient & Scripts;
  const channel = `${prefix}:events`;
  const keyOf = (workspaceId: string) => `${prefix}:events:${workspaceId}`;

  return {
    channel,
    async add(workspaceId, events) {
      const key = keyOf(workspaceId);
      for (let from = 0; from < events.length; from += ADDED_AT_ONCE) {
        const some = events.slice(from, from + ADDED_AT_ONCE);
        const texts = some.map((event) => JSON.stringify(event));
        await scripts.mayflyAddEvents(key, MAX_EVENTS, KEEP_SECONDS, channel, workspaceId, texts);
      }
    },
    async read(workspaceId, after) {
      const from = after !== undefined && ID.test(after) ? after : '';
      const key = keyOf(workspaceId);
      const [first, last, entries] = await scripts.mayflyReadEvents(key, KEEP_SECONDS, from);
      const isKnown = from !== '' && !isLater(first, from) && !isLater(from, last);
      if (!isKnown) return { events: [], last, isWhole: after === undefined };
      const events = entries.flatMap(([id, [kind, text = '']]) =>
        kind === 'event' ? [{ id, event: parseEvent(text) }] : [],
      );
      return { events, last, isWhole: true };
    },
  };
}

/** Parses a message of the channel. */
export function parsePublished(message: string): PublishedEvent & { workspaceId: string } {
  const [workspaceId = '', id = ''] = message.split(' ', 2);
  const text = message.slice(workspaceId.length + id.length + 2);
  return { workspaceId, id, event: parseEvent(text) };
}

/** Parses an event written by {@link EventHistory}. */
function parseEvent(text: string): LiveEvent {
  return JSON.parse(text) as LiveEvent;
}

/**
 * Publishing never fails or blocks: events of one event loop turn are sent to Redis together, and
 * events that Redis does not accept are dropped.
 */
export interface EventPublisher {
  /** Takes the event and returns at once. */
  publish: (workspaceId: string, event: LiveEvent) => void;
  /** Resolves when all accepted events are flushed. Later events are dropped. */
  close: () => Promise<void>;
}

export function openEventPublisher(history: EventHistory, log: Logger): EventPublisher {
  const gathered = new Map<string, LiveEvent[]>();
  const flushing = new Set<Promise<void>>();
  let isClosed = false;
  let lastFault = '';

  const flush = async () => {
    const groups = [...gathered];
    gathered.clear();
    const results = await Promise.allSettled(groups.map(([id, events]) => history.add(id, events)));
    const failed = results.find(({ status }) => status === 'rejected');
    const fault = failed?.status === 'rejected' ? errorText(failed.reason) : '';
    if (fault !== '' && fault !== lastFault) log.warn('event publish failed', { fault });
    lastFault = fault;
  };

  return {
    publish(workspaceId, event) {
      if (isClosed) return; // for work that outlasted the shutdown deadline
      const group = gathered.get(workspaceId);
      if (group) group.push(event);
      else gathered.set(workspaceId, [event]);
      if (gathered.size > 1 || group) return;
      // Events of one group commit arrive in one turn of the event loop.
      const flushed = new Promise((resolve) => setImmediate(resolve)).then(flush);
      flushing.add(flushed);
      void flushed.then(() => flushing.delete(flushed));
    },
    async close() {
      isClosed = true;
      await Promise.all(flushing);
    },
  };
}
