import type { ByteBudget } from '../core/limits/byte-budget.ts';
import type { FrontContext } from '../core/context.ts';
import type { AuthCommands } from './auth/exchange.ts';
import type { Logins } from './auth/login.ts';
import type { Connections } from './limits/connections.ts';

/** Dependencies of the hooks. */
export interface Runtime {
  readonly front: FrontContext;
  readonly connections: Connections;
  readonly logins: Logins;
  readonly auth: AuthCommands;
  /** SMTP_MAX_RECEIVING_BYTES, shared by all mail that is being received. */
  readonly byteBudget: ByteBudget;
}
