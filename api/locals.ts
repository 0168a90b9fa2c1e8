import type { Caller } from '../core/tokens.js';

declare global {
  // Express types `res.locals` by merging into this namespace.
  // eslint-disable-next-line @typescript-eslint/no-namespace
  namespace Express {
    interface Locals {
      requestId: string;
      /** Set on every route below `/api`. */
      caller: Caller;
    }
  }
}
