import type { ByteBudget } from '../core/limits/byte-budget.js';
import type { FrontContext } from '../core/context.js';
import type { AuthCommands } from './auth/exchange.js';
import type { Logins } from './auth/login.js';
import type { Connections } from './limits/connections.js';

/** Dependencies of the hooks. */
export interface Runtime {
  readonly front: FrontContext;
  readonly connections: Connections;
  readonly logins: Logins;
  readonly auth: AuthCommands;
  /** SMTP_MAX_RECEIVING_BYTES, shared by all mail that is being received. */
  readonly byteBudget: ByteBudget;
}
