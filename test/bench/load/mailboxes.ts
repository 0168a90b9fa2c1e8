import type { Target } from '../target.ts';

const AT_ONCE = 16;

/**
 * Creates the mailboxes through the API, a few concurrently; resolves to their ids in the order of
 * the names.
 */
export async function createMailboxes({ rest }: Target, names: string[]): Promise<string[]> {
  const ids: string[] = [];
  let next = 0;
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      while (next < names.length) {
        const n = next;
        next += 1;
        ids[n] = (await rest.createMailbox(names[n] ?? '')).id;
      }
    }),
  );
  return ids;
}
