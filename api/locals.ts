import type { Caller } from '../core/auth/caller.js';

declare global {
  // Express types `res.locals` by merging into this namespace.
  // eslint-disable-next-line @typescript-eslint/no-namespace
  namespace Express {
    interface Locals {
      requestId: string;
      /** Whether the request was HEAD; it is answered as GET, and handlers may spare the body. */
      headOnly: boolean;
      /** Set on every route below `/api`. */
      caller: Caller;
      /** False where only a token says who asks. */
      takesSession?: boolean;
      /** Set where a session, and no token, says who that is. */
      sessionId?: string;
    }
  }
}
