/** What a caller's token can reach. */
import type { Label, Reach, Scope } from '../../db/statements/reach.ts';
import type { Context } from '../context.ts';
import type { Caller } from './caller.ts';

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
  const own = new Map(Object.entries(mailbox.labels ?? {}));
  return names.includes(mailbox.name) || labels.some(({ key, value }) => own.get(key) === value);
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
