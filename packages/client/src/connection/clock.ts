/**
 * The clock and the timers as they are when the client is loaded: a test that fakes them later
 * still waits for real mail.
 */
export const now: () => number = Date.now.bind(Date);
export const startTimer = globalThis.setTimeout.bind(globalThis);
export const stopTimer = globalThis.clearTimeout.bind(globalThis);
