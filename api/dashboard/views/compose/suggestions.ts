import { mailboxes } from '../../state/mailboxes.js';
import { session } from '../../state/session.js';

const SHOWN = 6;

/** Addresses of the workspace that go on as typed, or have it in their name; none that are there already. */
export function suggestionsFor(typed: string, taken: string[]): string[] {
  const wanted = typed.trim().toLowerCase();
  if (wanted === '' && taken.length > 0) return [];
  const addresses = (mailboxes.value ?? []).map(({ address }) => address);
  const [name = '', tag] = wanted.split('+', 2);
  const found = addresses.filter((address) => address.includes(name) && !taken.includes(address));
  // What follows a plus is a tag of one's own.
  if (tag !== undefined) return [];
  found.sort((a, b) => Number(b.startsWith(wanted)) - Number(a.startsWith(wanted)));
  return found.slice(0, SHOWN);
}

/** A name alone stands for the address in this workspace. */
export function completed(typed: string): string {
  return typed.includes('@') ? typed : `${typed}@${session.value?.workspace.domain ?? ''}`;
}
