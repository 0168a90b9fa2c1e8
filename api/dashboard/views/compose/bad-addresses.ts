import type { ApiError } from '../../rest/api-error.js';

/** The addresses that a refused send names as no mailboxes of the workspace. */
export function badAddresses(error: ApiError | null): string[] {
  const details = error?.details;
  if (typeof details !== 'object' || details === null || !('recipients' in details)) return [];
  const { recipients } = details;
  return Array.isArray(recipients) ? recipients.filter((one) => typeof one === 'string') : [];
}
