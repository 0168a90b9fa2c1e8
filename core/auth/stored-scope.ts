import { slugFault } from '../addresses.ts';
import { AppError } from '../errors.ts';
import { labelFault } from './label-fault.ts';
import { parseLabel } from './reach.ts';

const MAX_ENTRIES = 100;

/**
 * The mailboxes of a narrow token as they are stored: names in lower case, and labels.
 * @throws {AppError} `unprocessable` if there are none or too many, or one is malformed.
 */
export function storedScope(mailboxes: string[]): string[] {
  if (mailboxes.length === 0 || mailboxes.length > MAX_ENTRIES) {
    throw new AppError('unprocessable', `"mailboxes" must have 1 to ${MAX_ENTRIES} entries.`);
  }
  return [...new Set(mailboxes.map(storedEntry))];
}

/** The rule that an entry of `mailboxes` breaks, as a sentence; null if it is valid. */
export function entryFault(entry: string): string | null {
  const label = parseLabel(entry);
  return label ? labelFault(label.key, label.value) : slugFault(entry.toLowerCase());
}

function storedEntry(entry: string): string {
  const fault = entryFault(entry);
  if (fault !== null) {
    const shown = JSON.stringify(entry.slice(0, 64));
    throw new AppError('unprocessable', `"mailboxes" contains ${shown}. ${fault}`);
  }
  return parseLabel(entry) ? entry : entry.toLowerCase();
}
