/**
 * Sets the host name in the greeting and in the Received field to SMTP_HOSTNAME. Haraka would read
 * it from a file or from the system.
 */
import { replaceMethod } from './replace-method.ts';

export function setHostName(haraka: Haraka.Patchable<'netUtils'>, hostname: string): void {
  replaceMethod(haraka, 'netUtils', 'get_primary_host_name', 0, () => () => hostname);
}
