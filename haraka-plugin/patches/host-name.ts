/** SMTP_HOSTNAME is the name in the greeting and in the Received field. Haraka reads it from a file, or asks the system. */
import { replaceMethod } from './replace-method.js';

export function setHostName(haraka: Haraka.Patchable<'netUtils'>, hostname: string): void {
  replaceMethod(haraka, 'netUtils', 'get_primary_host_name', 0, () => () => hostname);
}
