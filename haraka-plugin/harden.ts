/**
 * Takes away the INTERNALCMD command: any client on the loopback address, which includes everyone
 * behind a local TCP proxy, could stop the server with it.
 */
export function harden({ connection }: Haraka.Modules): void {
  delete connection.Connection.prototype.cmd_internalcmd;
}
