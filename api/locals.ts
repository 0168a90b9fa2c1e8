import type { Caller } from '../core/auth/caller.ts';

declare global {
  // Express types `res.locals` by merging into this namespace.
  // eslint-disable-next-line @typescript-eslint/no-namespace
  namespace Express {
    interface Locals {
      requestId: string;
      /** Whether the request was HEAD. It is handled as GET, and handlers can omit the body. */
      headOnly: boolean;
      /** Set on every route below `/api`. */
      caller: Caller;
      /** False for operations that accept only a token. */
      takesSession?: boolean;
      /** Set if the caller was authenticated by a session. */
      sessionId?: string;
    }
  }
}
