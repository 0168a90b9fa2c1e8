import type { FrontContext } from '../core/context.js';
import type { Sessions } from './sessions.js';

/** What the plugin works with; the entry leaves it in Haraka's `server.notes`. */
export interface Runtime {
  readonly front: FrontContext;
  readonly sessions: Sessions;
}
