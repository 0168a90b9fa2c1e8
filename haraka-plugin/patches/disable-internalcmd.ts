/**
 * Takes away the INTERNALCMD command: any client on the loopback address, which includes everyone
 * behind a local TCP proxy, could stop the server with it.
 */
import { removeMethod } from './replace-method.js';

export function disableInternalCommand(haraka: Haraka.Patchable<'connection'>): void {
  removeMethod(haraka, 'connection', 'cmd_internalcmd', 1);
}
