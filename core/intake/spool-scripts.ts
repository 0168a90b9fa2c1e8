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
 * KEYS: sizes by ingest id, bytes waiting, bytes in quarantine, loads by workspace id, loads by
 * ingest id, a value for each mail in Redis. ARGV: number of mails, their ids, their sizes, their
 * loads, the values. Returns the bytes waiting and in quarantine, and the new loads as workspace id
 * and number in turn.
 */
const ACCEPT = `${SUMS}
local count = tonumber(ARGV[1])
local known = redis.call('HMGET', KEYS[1], unpack(ARGV, 2, count + 1))
local added, bytes, loads, own = {}, 0, {}, {}
local waiting = false
for i = 1, count do
  if not known[i] then
    added[#added + 1] = ARGV[1 + i]
    added[#added + 1] = ARGV[1 + count + i]
    bytes = bytes + tonumber(ARGV[1 + count + i])
    local load = ARGV[1 + 2 * count + i]
    if load ~= '' then
      loads[#loads + 1] = load
      own[#own + 1] = ARGV[1 + i]
      own[#own + 1] = load
    end
  end
end
if #own > 0 then redis.call('HSET', KEYS[5], unpack(own)) end
if #added > 0 then
  redis.call('HSET', KEYS[1], unpack(added))
  waiting = redis.call('INCRBY', KEYS[2], bytes)
end
local values = {}
for i = 6, #KEYS do
  values[#values + 1] = KEYS[i]
  values[#values + 1] = ARGV[3 * count + i - 4]
end
if #values > 0 then redis.call('MSET', unpack(values)) end
local totals = {}
for id, load in pairs(sums(loads)) do
  totals[#totals + 1] = id
  totals[#totals + 1] = redis.call('HINCRBY', KEYS[4], id, load)
end
return { waiting or redis.call('GET', KEYS[2]), redis.call('GET', KEYS[3]), totals }`;

/** Takes the loads of these mails, which are kept until then, from those of their workspaces. */
const UNLOAD = `${SUMS}
local function unload(key, keyByMail, ids)
  local loads = {}
  for _, load in ipairs(redis.call('HMGET', keyByMail, unpack(ids))) do
    if load then loads[#loads + 1] = load end
  end
  for id, load in pairs(sums(loads)) do
    if redis.call('HINCRBY', key, id, -load) <= 0 then redis.call('HDEL', key, id) end
  end
  if #loads > 0 then redis.call('HDEL', keyByMail, unpack(ids)) end
end`;

/**
 * Once nothing waits, no workspace has a load, whatever an older version has left of it.
 *
 * KEYS: sizes by ingest id, bytes waiting, ids in quarantine, bytes in quarantine, loads by
 * workspace id, loads by ingest id, a value for each mail. ARGV: the ids.
 */
const ACK = `${UNLOAD}
local sizes = redis.call('HMGET', KEYS[1], unpack(ARGV))
local held = redis.call('SMISMEMBER', KEYS[3], unpack(ARGV))
local waiting, quarantined = 0, 0
for i = 1, #ARGV do
  if sizes[i] and held[i] == 1 then
    redis.call('SREM', KEYS[3], ARGV[i])
    quarantined = quarantined + tonumber(sizes[i])
  elseif sizes[i] then
    waiting = waiting + tonumber(sizes[i])
  end
end
unload(KEYS[5], KEYS[6], ARGV)
redis.call('HDEL', KEYS[1], unpack(ARGV))
if waiting > 0 and redis.call('DECRBY', KEYS[2], waiting) <= 0 then
  redis.call('DEL', KEYS[5], KEYS[6])
end
if quarantined > 0 then redis.call('DECRBY', KEYS[4], quarantined) end
redis.call('UNLINK', unpack(KEYS, 7))
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
  unload(KEYS[5], KEYS[6], { ARGV[1] })
  redis.call('DECRBY', KEYS[2], size)
  redis.call('INCRBY', KEYS[4], size)
end
return tonumber(redis.call('GET', KEYS[4]) or '0')`;

/**
 * Redis runs nothing else during a script: 25,000 mails take 75 ms, 100,000 take 300 ms (measured).
 */
const MAX_MAILS = 25_000;

/**
 * Recomputes the byte counts of accepted mail from the stored sizes, and the loads of workspaces
 * from those of the mails that wait. One script reads and writes, so no other command runs in
 * between. The load of a mail that an older version has removed is dropped.
 *
 * KEYS: sizes by mail id, bytes waiting, ids in quarantine, bytes in quarantine, loads by workspace
 * id, loads by ingest id. Returns the drift of both counts and the number of loads that were wrong,
 * or nil above {@link MAX_MAILS}. `%.0f` keeps large sums out of the exponent form, which INCRBY
 * rejects.
 */
const RECOUNT = `${SUMS}
if redis.call('HLEN', KEYS[1]) > ${MAX_MAILS} then return false end
local waiting, quarantined, sizes = 0, 0, {}
local stored = redis.call('HGETALL', KEYS[1])
for i = 1, #stored, 2 do
  sizes[stored[i]] = stored[i + 1]
  waiting = waiting + tonumber(stored[i + 1])
end
for _, id in ipairs(redis.call('SMEMBERS', KEYS[3])) do
  quarantined = quarantined + tonumber(sizes[id] or '0')
  sizes[id] = nil
end
waiting = waiting - quarantined
local function set(key, bytes)
  local drift = tonumber(redis.call('GET', key) or '0') - bytes
  if drift ~= 0 then redis.call('SET', key, string.format('%.0f', bytes)) end
  return string.format('%.0f', drift)
end
local loads, byMail = {}, redis.call('HGETALL', KEYS[6])
for i = 1, #byMail, 2 do
  if sizes[byMail[i]] then
    loads[#loads + 1] = byMail[i + 1]
  else
    redis.call('HDEL', KEYS[6], byMail[i])
  end
end
local wrong, right = 0, sums(loads)
local counted = redis.call('HGETALL', KEYS[5])
for i = 1, #counted, 2 do
  local load = right[counted[i]]
  if not load then
    wrong = wrong + redis.call('HDEL', KEYS[5], counted[i])
  elseif load == tonumber(counted[i + 1]) then
    right[counted[i]] = nil
  end
end
for id, load in pairs(right) do
  redis.call('HSET', KEYS[5], id, string.format('%.0f', load))
  wrong = wrong + 1
end
return { set(KEYS[2], waiting), set(KEYS[4], quarantined), wrong }`;

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
  mayflyRecount: (keys: string[]) => Promise<RecountReply | null>;
}

export function defineSpoolScripts(redis: RedisClient): RedisClient & SpoolScripts {
  redis.defineCommand('mayflyAccept', { lua: ACCEPT });
  redis.defineCommand('mayflyAck', { lua: ACK });
  redis.defineCommand('mayflyRoom', { numberOfKeys: 2, lua: ROOM });
  redis.defineCommand('mayflyQuarantine', { numberOfKeys: 6, lua: QUARANTINE });
  redis.defineCommand('mayflyRecount', { numberOfKeys: 6, lua: RECOUNT });
  return redis as RedisClient & SpoolScripts;
}

type RecountReply = [waiting: string, quarantined: string, wrongLoads: number];

export interface SpoolCorrection {
  /** Bytes by which a count was above (or, if negative, below) the sum of the stored sizes. */
  waiting: number;
  quarantined: number;
  /** Number of workspaces whose load was wrong. */
  loads: number;
}

/** The reply of {@link RECOUNT} as numbers. */
export function parseCorrection(reply: RecountReply | null): SpoolCorrection | null {
  return reply && { waiting: Number(reply[0]), quarantined: Number(reply[1]), loads: reply[2] };
}
