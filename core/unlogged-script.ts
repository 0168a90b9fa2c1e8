/**
 * How a Lua script for Redis begins whose writes are not worth an fsync: it keeps them out of the append-only file,
 * and so from replicas (redis.io/docs, "Scripting with Lua", `redis.set_repl`). Redis before 7 replicates scripts
 * whole unless told otherwise, and then takes no `set_repl`.
 */
export const UNLOGGED = `
redis.replicate_commands()
redis.set_repl(redis.REPL_NONE)`;
