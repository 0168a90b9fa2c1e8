/** Lua scripts of the mail spool. Each handles one mail or several in one step. */
import type { RedisClient } from '../redis/client.ts';

/**
 * The loads of several mails by workspace, from a text `ID LOAD ID LOAD` of each: mails that are
 * written together mostly belong to one workspace, which then takes one command.
 */
const SUMS = `
local function sums(loads)
  local result = {}
  for id, load in string.gmatch(table.concat(loads, ' '), '(%S+) (%S+)') do
    result[id] = (result[id] or 0) + tonumber(load)
  end
  return result
end`;

/**
 * ioredis repeats a command whose reply is lost with the connection, so the size is counted once
 * per mail.
 *
 * KEYS: sizes by ingest id, bytes waiting, bytes in quarantine, loads by workspace id, a value for
 * each mail in Redis. ARGV: number of mails, their ids, their sizes, their loads, the values.
 * Returns the bytes waiting and in quarantine, and the new loads as workspace id and number in
 * turn.
 */
const ACCEPT = `${SUMS}
local count = tonumber(ARGV[1])
local known = redis.call('HMGET', KEYS[1], unpack(ARGV, 2, count + 1))
local added, bytes, loads = {}, 0, {}
local waiting = false
for i = 1, count do
  if not known[i] then
    added[#added + 1] = ARGV[1 + i]
    added[#added + 1] = ARGV[1 + count + i]
    bytes = bytes + tonumber(ARGV[1 + count + i])
    loads[#loads + 1] = ARGV[1 + 2 * count + i]
  end
end
if #added > 0 then
  redis.call('HSET', KEYS[1], unpack(added))
  waiting = redis.call('INCRBY', KEYS[2], bytes)
end
local values = {}
for i = 5, #KEYS do
  values[#values + 1] = KEYS[i]
  values[#values + 1] = ARGV[3 * count + i - 3]
end
if #values > 0 then redis.call('MSET', unpack(values)) end
local totals = {}
for id, load in pairs(sums(loads)) do
  totals[#totals + 1] = id
  totals[#totals + 1] = redis.call('HINCRBY', KEYS[4], id, load)
end
return { waiting or redis.call('GET', KEYS[2]), redis.call('GET', KEYS[3]), totals }`;

const UNLOAD = `${SUMS}
local function unload(key, loads)
  for id, load in pairs(sums(loads)) do
    if redis.call('HINCRBY', key, id, -load) <= 0 then redis.call('HDEL', key, id) end
  end
end`;

/**
 * Once nothing waits, no workspace has a load, whatever an older version has left of it.
 *
 * KEYS: sizes by ingest id, bytes waiting, ids in quarantine, bytes in quarantine, loads by
 * workspace id, a value for each mail. ARGV: the ids, the loads of each.
 */
const ACK = `${UNLOAD}
local count = #ARGV / 2
local sizes = redis.call('HMGET', KEYS[1], unpack(ARGV, 1, count))
local held = redis.call('SMISMEMBER', KEYS[3], unpack(ARGV, 1, count))
local waiting, quarantined, loads = 0, 0, {}
for i = 1, count do
  if sizes[i] and held[i] == 1 then
    redis.call('SREM', KEYS[3], ARGV[i])
    quarantined = quarantined + tonumber(sizes[i])
  elseif sizes[i] then
    waiting = waiting + tonumber(sizes[i])
    loads[#loads + 1] = ARGV[count + i]
  end
end
unload(KEYS[5], loads)
redis.call('HDEL', KEYS[1], unpack(ARGV, 1, count))
if waiting > 0 and redis.call('DECRBY', KEYS[2], waiting) <= 0 then redis.call('DEL', KEYS[5]) end
if quarantined > 0 then redis.call('DECRBY', KEYS[4], quarantined) end
redis.call('UNLINK', unpack(KEYS, 6))
return 1`;

/**
 * KEYS: bytes waiting, bytes in quarantine. Returns both, the memory that counts against
 * `maxmemory`, and `maxmemory`: 0 without a limit, or if Redis does not permit INFO. A script asks
 * the node of the keys, also in a cluster.
 */
const ROOM = `
local info = redis.pcall('INFO', 'memory')
local function bytes(name)
  return type(info) == 'string' and tonumber(info:match('\\n' .. name .. ':(%d+)')) or 0
end
local used = bytes('used_memory') - bytes('mem_not_counted_for_evict')
local counts = redis.call('MGET', KEYS[1], KEYS[2])
return { counts[1], counts[2], string.format('%.0f', used), string.format('%.0f', bytes('maxmemory')) }`;

const QUARANTINE = `${UNLOAD}
local size = redis.call('HGET', KEYS[1], ARGV[1])
if size and redis.call('SADD', KEYS[3], ARGV[1]) == 1 then
  unload(KEYS[5], { ARGV[2] })
  redis.call('DECRBY', KEYS[2], size)
  redis.call('INCRBY', KEYS[4], size)
end
return tonumber(redis.call('GET', KEYS[4]) or '0')`;

/**
 * Redis runs nothing else during a script: 100,000 mails take 34 ms, 1,000,000 take 590 ms
 * (measured).
 */
const MAX_MAILS = 100_000;

/**
 * Recomputes the byte counts of accepted mail from the stored sizes. One script reads the sizes and
 * writes the counts, so no other command runs in between.
 *
 * KEYS: sizes by mail id, bytes waiting, ids in quarantine, bytes in quarantine. Returns the drift
 * of both counts, or nil above {@link MAX_MAILS}. `%.0f` keeps large sums out of the exponent form,
 * which INCRBY rejects.
 */
const RECOUNT = `
if redis.call('HLEN', KEYS[1]) > ${MAX_MAILS} then return false end
local waiting, quarantined = 0, 0
for _, size in ipairs(redis.call('HVALS', KEYS[1])) do waiting = waiting + tonumber(size) end
for _, id in ipairs(redis.call('SMEMBERS', KEYS[3])) do
  quarantined = quarantined + tonumber(redis.call('HGET', KEYS[1], id) or '0')
end
waiting = waiting - quarantined
local function set(key, bytes)
  local drift = tonumber(redis.call('GET', key) or '0') - bytes
  if drift ~= 0 then redis.call('SET', key, string.format('%.0f', bytes)) end
  return string.format('%.0f', drift)
end
return { set(KEYS[2], waiting), set(KEYS[4], quarantined) }`;

/** Bytes waiting and in quarantine; memory that counts against `maxmemory`; `maxmemory` or 0. */
export type RoomReply = [
  waiting: string | null,
  quarantined: string | null,
  used: string,
  limit: string,
];

export interface SpoolScripts {
  /** Starts with the number of keys. */
  mayflyAccept: (
    ...args: (string | number | (string | number | Buffer)[])[]
  ) => Promise<
    [waiting: number | string | null, quarantined: string | null, loads: (string | number)[]]
  >;
  /** Starts with the number of keys. */
  mayflyAck: (...args: (number | string[])[]) => Promise<unknown>;
  mayflyRoom: (...args: string[]) => Promise<RoomReply>;
  mayflyQuarantine: (...args: (string | string[])[]) => Promise<number>;
  mayflyRecount: (...args: string[]) => Promise<[string, string] | null>;
}

export function defineSpoolScripts(redis: RedisClient): RedisClient & SpoolScripts {
  redis.defineCommand('mayflyAccept', { lua: ACCEPT });
  redis.defineCommand('mayflyAck', { lua: ACK });
  redis.defineCommand('mayflyRoom', { numberOfKeys: 2, lua: ROOM });
  redis.defineCommand('mayflyQuarantine', { numberOfKeys: 5, lua: QUARANTINE });
  redis.defineCommand('mayflyRecount', { numberOfKeys: 4, lua: RECOUNT });
  return redis as RedisClient & SpoolScripts;
}

/** Bytes by which a count was above (or, if negative, below) the sum of the stored sizes. */
export interface ByteCorrection {
  waiting: number;
  quarantined: number;
}

/** The reply of {@link RECOUNT} as numbers. */
export function parseByteCorrection(reply: [string, string] | null): ByteCorrection | null {
  return reply && { waiting: Number(reply[0]), quarantined: Number(reply[1]) };
}
