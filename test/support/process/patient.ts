/** Settings that prevent Redis timeouts on a machine that is busy with other tests. */
export const PATIENT = { REDIS_TIMEOUT_MS: '10000' };
