import { mailboxes } from '../../state/mailboxes.ts';
import { session } from '../../state/session.ts';

const SHOWN = 6;

/** Returns matching mailbox addresses, prefix matches first, without those already entered. */
export function suggestionsFor(typed: string, taken: string[]): string[] {
  const wanted = typed.trim().toLowerCase();
  if (wanted === '' && taken.length > 0) return [];
  const addresses = (mailboxes.value ?? []).map(({ address }) => address);
  const [name = '', tag] = wanted.split('+', 2);
  const found = addresses.filter((address) => address.includes(name) && !taken.includes(address));
  // Text after a plus sign is a free tag, so there is nothing to suggest.
  if (tag !== undefined) return [];
  found.sort((a, b) => Number(b.startsWith(wanted)) - Number(a.startsWith(wanted)));
  return found.slice(0, SHOWN);
}

/** Completes a local part to an address in the domain of the workspace. */
export function completed(typed: string): string {
  return typed.includes('@') ? typed : `${typed}@${session.value?.workspace.domain ?? ''}`;
}
