/**
 * Removes the INTERNALCMD command. It lets any client on a loopback address stop the server, which
 * includes all clients behind a local TCP proxy.
 */
import { removeMethod } from './replace-method.ts';

export function disableInternalCommand(haraka: Haraka.Patchable<'connection'>): void {
  removeMethod(haraka, 'connection', 'cmd_internalcmd', 1);
}
