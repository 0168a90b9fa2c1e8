/**
 * The first lines of a Lua script whose writes do not need an fsync. They keep the writes out of the append-only file
 * and so off replicas (redis.io/docs, "Scripting with Lua", `redis.set_repl`). Redis before 7 accepts `set_repl` only
 * after `replicate_commands`.
 */
export const SKIP_AOF_PREAMBLE = `
redis.replicate_commands()
redis.set_repl(redis.REPL_NONE)`;
