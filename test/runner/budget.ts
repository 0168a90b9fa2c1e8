/** test/budget.json: what the tests may take, in each form of `./scripts/test`. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { ROOT } from '../../core/root.ts';
import type { FileFigures, Figures } from './figures.ts';

export const BUDGET_FILE = join(ROOT, 'test/budget.json');
/** Below this part of the limit, a file is no longer listed. */
const WELL_BELOW = 0.7;

const share = z.strictObject({
  /** CPU seconds of all tests; null if they were not recorded. */
  total: z.number().nullable(),
  /** Starts of the product; null for any number. */
  starts: z.number().nullable(),
  /** Seconds in which a file that is not slow only waits; null for any time. */
  waits: z.number().nullable(),
  /** Files above their limit. */
  files: z.record(z.string(), z.strictObject({ seconds: z.number(), reason: z.string() })),
});
const budget = z.strictObject({
  /** CPU seconds of the fixed loop on the machine of reference. */
  loop: z.number().positive(),
  short: share,
  long: share,
});

export type Share = z.infer<typeof share>;
export type Budget = z.infer<typeof budget>;
export type Form = 'short' | 'long';

export const readBudget = (): Budget => budget.parse(JSON.parse(readFileSync(BUDGET_FILE, 'utf8')));

/** CPU seconds above which a file is listed. */
export const limitOf = ({ kind }: Pick<FileFigures, 'kind'>): number => (kind === 'whole' ? 10 : 5);

/**
 * The budget with the figures of a run. The reasons stay, also those of files that the run left
 * out. A file that is new in the list takes the reason of the other form, or has none.
 */
export function recorded(old: Budget, form: Form, { total, files }: Figures): Budget {
  const listed = new Map(Object.entries(old[form].files));
  const reasons = new Map(
    [old.short, old.long, old[form]].flatMap((share) =>
      Object.entries(share.files).map(([name, { reason }]) => [name, reason] as const),
    ),
  );
  for (const file of files) {
    if (file.seconds > limitOf(file) * (listed.has(file.name) ? WELL_BELOW : 1)) {
      const reason = reasons.get(file.name) ?? '';
      listed.set(file.name, { seconds: rounded(file.seconds), reason });
    } else {
      listed.delete(file.name);
    }
  }
  const sorted = Object.fromEntries([...listed].sort(([a], [b]) => (a < b ? -1 : 1)));
  return { ...old, [form]: { ...old[form], total: rounded(total), files: sorted } };
}

const rounded = (seconds: number) => Math.round(seconds * 10) / 10;
