/**
 * The first lines of Lua scripts whose writes do not need an fsync. They exclude the writes from
 * the append-only file, and so from replicas (redis.io/docs, "Scripting with Lua",
 * `redis.set_repl`). Redis before 7 accepts `set_repl` only after `replicate_commands`.
 */
export const SKIP_AOF_PREAMBLE = `
redis.replicate_commands()
redis.set_repl(redis.REPL_NONE)`;
