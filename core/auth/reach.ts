/** What a caller's token can reach, and the entries that name it. */
import { type Label, type Reach, type Scope, comparedValue } from '../../db/statements/reach.ts';
import type { Context } from '../context.ts';
import type { Caller } from './caller.ts';
import { mailboxNameOf, slugFault } from '../addresses.ts';
import { AppError } from '../errors.ts';

const MAX_ENTRIES = 100;
const LABEL_KEY = /^[a-z0-9][a-z0-9._-]{0,39}$/;
const MAX_VALUE_LENGTH = 100;

/** The mailboxes that the caller can use now. */
export function reachOf({ now }: Pick<Context, 'now'>, { workspace, token }: Caller): Reach {
  return {
    workspaceId: workspace.id,
    scope: token.mailboxes && scopeOf(token.mailboxes),
    now: new Date(now()),
  };
}

/** The scope of a narrow token: entries with a colon are labels, the others names. */
export function scopeOf(mailboxes: readonly string[]): Scope {
  return {
    names: mailboxes.filter((entry) => !entry.includes(':')),
    labels: mailboxes.flatMap((entry) => parseLabel(entry) ?? []),
  };
}

/** Whether the scope includes a mailbox with this name and these labels. */
export function includes(
  { names, labels }: Scope,
  mailbox: { name: string; labels?: Record<string, string> | null | undefined },
): boolean {
  return names.includes(mailbox.name) || labels.some((label) => hasLabel(mailbox.labels, label));
}

/** Whether the labels have this one, in any form of Unicode. */
export function hasLabel(
  labels: Record<string, string> | null | undefined,
  { key, value }: Label,
): boolean {
  const own = Object.hasOwn(labels ?? {}, key) ? labels?.[key] : undefined;
  return own !== undefined && comparedValue(own) === comparedValue(value);
}

/** Parses `key:value`; the value can contain colons. Null without a colon. */
export function parseLabel(text: string): Label | null {
  const colon = text.indexOf(':');
  return colon < 0 ? null : { key: text.slice(0, colon), value: text.slice(colon + 1) };
}

/** Whether a token with these `mailboxes` can create a mailbox with these labels. */
export function mayCreate(
  mailboxes: readonly string[] | null,
  labels: Record<string, string>,
): boolean {
  if (mailboxes === null) return true;
  const scope = scopeOf(mailboxes);
  return includes({ names: [], labels: scope.labels }, { name: '', labels });
}

/**
 * The mailboxes of a narrow token as they are stored: names in lower case, and labels.
 * @param domain of the workspace, whose addresses stand for names
 * @throws {AppError} `unprocessable` if there are none or too many, or one is malformed.
 */
export function storedScope(mailboxes: string[], domain: string): string[] {
  if (mailboxes.length === 0 || mailboxes.length > MAX_ENTRIES) {
    throw new AppError('unprocessable', `"mailboxes" must have 1 to ${MAX_ENTRIES} entries.`);
  }
  return [...new Set(mailboxes.map((entry) => storedEntry(entry, domain)))];
}

/** The rule that an entry of `mailboxes` breaks, as a sentence; null if it is valid. */
export function entryFault(entry: string, domain: string): string | null {
  const label = parseLabel(entry);
  if (label) return labelFault(label.key, label.value);
  const name = mailboxNameOf(entry, domain);
  return name.includes('@') ? `An address must have the form name@${domain}.` : slugFault(name);
}

function storedEntry(entry: string, domain: string): string {
  const fault = entryFault(entry, domain);
  if (fault !== null) {
    const shown = JSON.stringify(entry.slice(0, 64));
    throw new AppError('unprocessable', `"mailboxes" contains ${shown}. ${fault}`);
  }
  return parseLabel(entry) ? entry : mailboxNameOf(entry, domain);
}

/** The rule that a label breaks, as a sentence; null if it is valid. */
export function labelFault(key: string, value: string): string | null {
  if (!LABEL_KEY.test(key)) {
    return `The label key ${JSON.stringify(key.slice(0, 64))} is invalid. A key has 1 to 40 characters from a-z, 0-9, ".", "_" and "-", and starts with a letter or digit.`;
  }
  if (
    Array.from(value).length > MAX_VALUE_LENGTH ||
    /\p{Cc}/u.test(value) ||
    !value.isWellFormed()
  ) {
    return `The value of the label "${key}" is invalid. A value has at most ${MAX_VALUE_LENGTH} characters and no control characters.`;
  }
  return null;
}
