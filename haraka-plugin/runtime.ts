import type { ByteRoom } from '../core/byte-room.js';
import type { FrontContext } from '../core/context.js';
import type { Sessions } from './sessions.js';

/** What the plugin works with; the entry leaves it in Haraka's `server.notes`. */
export interface Runtime {
  readonly front: FrontContext;
  readonly sessions: Sessions;
  /** For the bytes of all mail that is being received. */
  readonly room: ByteRoom;
}
