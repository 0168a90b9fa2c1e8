import type { ApiError } from '../../rest/api-error.ts';

/** Extracts the addresses that a failed send reports as unknown mailboxes. */
export function badAddresses(error: ApiError | null): string[] {
  const details = error?.details;
  if (typeof details !== 'object' || details === null || !('recipients' in details)) return [];
  const { recipients } = details;
  return Array.isArray(recipients) ? recipients.filter((one) => typeof one === 'string') : [];
}
