/** Labels of mailboxes: up to 10 pairs of key and value. */
import { type Label, comparedValue } from '../../db/statements/reach.ts';
import type { MailboxLabelRow } from '../../db/statements/mailboxes.ts';
import { labelFault, parseLabel } from '../auth/reach.ts';
import { AppError } from '../errors.ts';

export type Labels = Record<string, string>;

const MAX_LABELS = 10;

/**
 * The labels as they are stored: ordered by key; null for none. @throws {AppError}
 * `invalid_labels`.
 */
export function storedLabels(labels: Labels): Labels | null {
  const pairs = Object.entries(labels);
  if (pairs.length > MAX_LABELS) {
    throw new AppError(
      'invalid_labels',
      `A mailbox can have at most ${MAX_LABELS} labels. Send fewer labels.`,
    );
  }
  for (const [key, value] of pairs) {
    const fault = labelFault(key, value);
    if (fault !== null) throw new AppError('invalid_labels', fault);
  }
  pairs.sort(([a], [b]) => (a < b ? -1 : 1));
  return pairs.length > 0 ? Object.fromEntries(pairs) : null;
}

/** The labels as they are shown. PostgreSQL does not keep the order of keys. */
export function shownLabels(labels: Labels | null): Labels {
  if (labels === null) return {};
  return Object.fromEntries(Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Reads the labels of a query. @throws {AppError} `invalid_request` for one without a colon. */
export function parseLabels(texts: readonly string[]): Label[] {
  return texts.map((text) => {
    const label = parseLabel(text);
    if (label) return label;
    throw new AppError(
      'invalid_request',
      `"label" must have the form key:value, not ${JSON.stringify(text.slice(0, 64))}.`,
    );
  });
}

/** The rows by which a mailbox is found. */
export function labelRows(mailbox: {
  id: string;
  workspaceId: string;
  labels?: Labels | null;
}): MailboxLabelRow[] {
  const { id, workspaceId } = mailbox;
  return Object.entries(mailbox.labels ?? {}).map(([key, value]) => ({
    ...{ id: `${id}/${key}`, mailboxId: id, workspaceId, key },
    value: comparedValue(value),
  }));
}
