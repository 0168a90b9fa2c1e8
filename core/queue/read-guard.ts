/**
 * Keeps a mail that ends its process from ending every process that reads it. A process notes in
 * Redis what it is about to read, and removes the note when it has read it, has failed, or stops. A
 * note that stays shows that a process died with the mail. Such mails are read one at a time, with
 * nothing else beside, and one that has ended two processes is left out of that job alone.
 *
 * A process that has lost its lock and lives is no death. It removes its note when it continues,
 * and the watchdog ends it if it does not: a mail is left out once its notes are older than that.
 * Notes are not in the append-only file: a mail whose notes are lost can end two processes again.
 */
import { randomBytes } from 'node:crypto';
import type { Config } from '../config/config.ts';
import { AppError, errorText } from '../errors.ts';
import { openWeightedSemaphore } from '../limits/weighted-semaphore.ts';
import type { Logger } from '../log.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { type RedisClient, isRedisUnavailable } from '../redis/client.ts';
import { SKIP_AOF_PREAMBLE } from '../redis/replication.ts';

const DEATHS_TO_LEAVE_OUT = 2;
/** A process that lives renews its notes, so that a slow database is no death. */
const TIMES = {
  renewEveryMs: 3000,
  deadAfterMs: 10_000,
  /** A process that hangs has been ended by then. */
  certainAfterMs: 90_000,
};
/**
 * Least age of the note of a process that died, when its job starts again: the lock of a job is
 * held for 10 s or more, and was renewed within the first half of that.
 */
const RESTARTED_MS = 5000;
/** Notes that are over are removed with the next note, or after this time. */
const REMOVE_WITHIN_MS = 200;
/** Notes of mails that were read before their process died are never asked for again. */
const KEEP_MS = 7 * 24 * 3_600_000;
const SWEEP_EVERY_MS = 3_600_000;
/** More than a process reads at the same time. */
const ALONE = 10_000;
const NO_LIMIT = 1_000_000_000;

/**
 * A field is a mail of a job. Its value has `PROCESS@MS ` for each process that reads it or died.
 * Arguments: the process; the age from which a note of another process is a death, in ms; the
 * deaths of one of the mails from which nothing is noted; the number of fields to remove, and these
 * fields; the fields to note. Returns the deaths of each.
 */
const NOTE = `${SKIP_AOF_PREAMBLE}
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local first = 5 + ARGV[4]
for i = 5, first - 1 do redis.call('HDEL', KEYS[1], ARGV[i]) end
local deaths, others, most = {}, {}, 0
for i = first, #ARGV do
  local count, kept = 0, ''
  for who, at in (redis.call('HGET', KEYS[1], ARGV[i]) or ''):gmatch('(%S+)@(%d+) ') do
    if who ~= ARGV[1] then
      kept = kept .. who .. '@' .. at .. ' '
      if now - at >= tonumber(ARGV[2]) then count = count + 1 end
    end
  end
  table.insert(deaths, count)
  table.insert(others, kept)
  most = math.max(most, count)
end
if most < tonumber(ARGV[3]) then
  for i, kept in ipairs(others) do
    redis.call('HSET', KEYS[1], ARGV[first + i - 1], kept .. ARGV[1] .. '@' .. string.format('%d', now) .. ' ')
  end
end
return deaths`;

/** Removes the notes of a process from these fields; those of others stay. */
const GIVE_UP = `${SKIP_AOF_PREAMBLE}
for i = 2, #ARGV do
  local kept = ''
  for note in (redis.call('HGET', KEYS[1], ARGV[i]) or ''):gmatch('%S+@%d+ ') do
    if note:sub(1, #ARGV[1] + 1) ~= ARGV[1] .. '@' then kept = kept .. note end
  end
  if kept == '' then redis.call('HDEL', KEYS[1], ARGV[i])
  else redis.call('HSET', KEYS[1], ARGV[i], kept) end
end`;

/** Removes fields whose notes are all older than a time in ms. */
const SWEEP = `${SKIP_AOF_PREAMBLE}
local time = redis.call('TIME')
local oldest = time[1] * 1000 - ARGV[1]
local all = redis.call('HGETALL', KEYS[1])
for i = 1, #all, 2 do
  local newest = 0
  for at in all[i + 1]:gmatch('@(%d+) ') do newest = math.max(newest, tonumber(at)) end
  if newest < oldest then redis.call('HDEL', KEYS[1], all[i]) end
end`;

interface Scripts {
  mayflyNoteReads: (key: string, me: string, args: (string | number)[]) => Promise<number[]>;
  mayflyGiveUpReads: (key: string, me: string, fields: string[]) => Promise<null>;
  mayflySweepReads: (key: string, keepMs: number) => Promise<null>;
}

export interface ReadGuard {
  /**
   * Reads these mails together, or one at a time if a process died with one of them. `leaveOut` is
   * called for a mail that is left out. A mail is not read, and not left out, while one of its
   * notes can be of a process that hangs: a later run decides. No two processes run this for the
   * same mails of a job, unless one of them has lost its lock.
   */
  readAll: (
    job: string,
    mailIds: string[],
    read: (mailIds: string[]) => Promise<void>,
    leaveOut: (mailId: string) => Promise<void>,
  ) => Promise<void>;
  /**
   * Reads a mail that other processes may read at the same time; null if it is left out.
   * @throws {AppError} `unavailable` while one of its notes can be of a process that hangs.
   */
  readOne: <Result>(
    job: string,
    mailId: string,
    read: () => Promise<Result>,
  ) => Promise<{ result: Result } | null>;
  /** Runs a job of one mail, with the number of processes that died in it. */
  count: <Result>(
    job: string,
    mailId: string,
    run: (deaths: number) => Promise<Result>,
  ) => Promise<Result>;
  /** Forgets all deaths. */
  forget: () => Promise<void>;
  /** Removes the notes of this process, which stops. */
  close: () => Promise<void>;
}

export function openReadGuard(
  redis: RedisClient,
  { redisPrefix }: Pick<Config, 'redisPrefix'>,
  log: Logger,
  { leftOut }: Pick<Metrics['jobs'], 'leftOut'>,
  { renewEveryMs, deadAfterMs: deadAfter, certainAfterMs } = TIMES,
): ReadGuard {
  redis.defineCommand('mayflyNoteReads', { numberOfKeys: 1, lua: NOTE });
  redis.defineCommand('mayflyGiveUpReads', { numberOfKeys: 1, lua: GIVE_UP });
  redis.defineCommand('mayflySweepReads', { numberOfKeys: 1, lua: SWEEP });
  const scripts = redis as RedisClient & Scripts;
  const key = `${redisPrefix}:reading`;
  const me = randomBytes(6).toString('hex');
  const order = openWeightedSemaphore(ALONE);
  /** Reads of each field in this process. */
  const active = new Map<string, number>();
  const over = new Set<string>();
  let removal: NodeJS.Timeout | undefined;
  let renewal: NodeJS.Timeout | undefined;
  let sweptAt = -Infinity;

  /** Without Redis, mails are read without a note. */
  const unlessAway = async <Result>(command: Promise<Result>, otherwise: Result) => {
    try {
      return await command;
    } catch (error) {
      if (!isRedisUnavailable(error)) throw error;
      log.debug('reading without a note', { fault: errorText(error) });
      return otherwise;
    }
  };

  const write = (fields: string[], deadAfterMs: number, limit: number) => {
    clearTimeout(removal);
    removal = undefined;
    const removed = [...over];
    over.clear();
    const args = [deadAfterMs, limit, removed.length, ...removed, ...fields];
    const none = fields.map(() => 0);
    return unlessAway(scripts.mayflyNoteReads(key, me, args), none);
  };

  const inBackground = (work: Promise<unknown>) => {
    work.catch((error: unknown) => {
      log.warn('notes of mails that are read failed', { fault: errorText(error) });
    });
  };

  const begin = (fields: string[]) => {
    for (const field of fields) {
      over.delete(field);
      active.set(field, (active.get(field) ?? 0) + 1);
    }
    renewal ??= setInterval(() => {
      if (active.size > 0) inBackground(write([...active.keys()], deadAfter, NO_LIMIT));
    }, renewEveryMs).unref();
    if (performance.now() - sweptAt < SWEEP_EVERY_MS) return;
    sweptAt = performance.now();
    inBackground(unlessAway(scripts.mayflySweepReads(key, KEEP_MS), null));
  };

  /** The fields that this process does not read any more. */
  const end = (fields: string[]) =>
    fields.filter((field) => {
      const left = (active.get(field) ?? 1) - 1;
      if (left > 0) active.set(field, left);
      else active.delete(field);
      return left <= 0;
    });

  const giveUp = (fields: string[]) =>
    fields.length === 0
      ? Promise.resolve(null)
      : unlessAway(scripts.mayflyGiveUpReads(key, me, fields), null);

  const succeed = (fields: string[]) => {
    for (const field of end(fields)) over.add(field);
    removal ??= setTimeout(() => {
      inBackground(write([], deadAfter, 1));
    }, REMOVE_WITHIN_MS).unref();
  };

  /** Notes the fields and runs the work, unless one has `limit` deaths: then resolves to them. */
  const noted = async <Result>(
    fields: string[],
    { deadAfterMs, limit }: { deadAfterMs: number; limit: number },
    work: (deaths: number[]) => Promise<Result>,
  ): Promise<{ result: Result } | { deaths: number[] }> => {
    begin(fields);
    let deaths: number[];
    try {
      deaths = await write(fields, deadAfterMs, limit);
    } catch (error) {
      end(fields);
      throw error;
    }
    if (deaths.some((count) => count >= limit)) {
      await giveUp(end(fields)); // a renewal can have noted them
      return { deaths };
    }
    try {
      const result = await work(deaths);
      succeed(fields);
      return { result };
    } catch (error) {
      await giveUp(end(fields));
      throw error;
    }
  };

  const alone = <Result>(
    job: string,
    mailId: string,
    deadAfterMs: number,
    read: () => Promise<Result>,
  ): Promise<{ result: Result } | 'left out' | 'undecided'> =>
    order.runExclusive(ALONE, async () => {
      const field = `${job}:${mailId}`;
      const rule = { deadAfterMs, limit: DEATHS_TO_LEAVE_OUT };
      const done = await noted([field], rule, read);
      if ('result' in done) return done;
      const [deaths = 0] = await write([field], certainAfterMs, 0); // notes nothing
      if (deaths < DEATHS_TO_LEAVE_OUT) return 'undecided';
      leftOut.inc({ queue: job });
      log.error('mail left out of a job, because it ends the process', { job, mailId, deaths });
      return 'left out';
    });

  return {
    async readAll(job, mailIds, read, leaveOut) {
      const fields = mailIds.map((id) => `${job}:${id}`);
      const done = await order.runExclusive(1, () =>
        noted(fields, { deadAfterMs: 0, limit: 1 }, () => read(mailIds)),
      );
      if ('result' in done) return;
      for (const mailId of mailIds) {
        const outcome = await alone(job, mailId, 0, () => read([mailId]));
        if (outcome === 'left out') await leaveOut(mailId);
      }
    },
    async readOne(job, mailId, read) {
      const rule = { deadAfterMs: deadAfter, limit: 1 };
      const done = await order.runExclusive(1, () => noted([`${job}:${mailId}`], rule, read));
      if ('result' in done) return done;
      const outcome = await alone(job, mailId, deadAfter, read);
      if (outcome === 'left out') return null;
      if (outcome !== 'undecided') return outcome;
      throw new AppError(
        'unavailable',
        'A process that reads the mail can hang. Retry in a minute.',
      );
    },
    async count(job, mailId, run) {
      const rule = { deadAfterMs: RESTARTED_MS, limit: NO_LIMIT };
      const done = await noted([`${job}:${mailId}`], rule, ([deaths = 0]) => run(deaths));
      if ('deaths' in done) throw new RangeError('a mail has endless deaths');
      return done.result;
    },
    async forget() {
      await redis.del(key);
    },
    async close() {
      clearInterval(renewal);
      clearTimeout(removal);
      await giveUp([...new Set([...active.keys(), ...over])]);
    },
  };
}
