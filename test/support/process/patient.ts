/** Settings for which a machine that is busy with other tests does not look like a Redis that hangs. */
export const PATIENT = { REDIS_TIMEOUT_MS: '10000' };
