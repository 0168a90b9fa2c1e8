/** test/budget.json: what the tests may take, in each form of `./scripts/test`. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { ROOT } from '../../core/root.ts';
import type { FileFigures, Figures } from './figures.ts';

export const BUDGET_FILE = join(ROOT, 'test/budget.json');
/** CPU time varies with the other load of a machine. */
const NOTED_ABOVE = 1.3;
const FAILS_ABOVE = 2;
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

const rounded = (value: number) => Math.round(value * 10) / 10;

export interface Verdict {
  readonly warnings: string[];
  readonly faults: string[];
}

/**
 * Compares a run with its budget. Counts above a limit are faults. CPU time is one above twice the
 * limit, and in the long form above the limit. Without a recorded total, it is a warning only.
 */
export function judge(figures: Figures, share: Share, form: Form): Verdict {
  const warnings: string[] = [];
  const faults: string[] = [];
  const judgeTime = (excess: number, text: string) => {
    const fails = share.total !== null && (form === 'long' || excess > FAILS_ABOVE);
    (fails ? faults : warnings).push(text);
  };

  if (share.total === null) {
    warnings.push(`test/budget.json has no total of the ${form} form: npm run test:record`);
  } else {
    const ratio = figures.total / share.total;
    const text = `${seconds(figures.total)} of CPU are ${ratio.toFixed(1)} times the budget of ${seconds(share.total)}`;
    if (ratio > NOTED_ABOVE) judgeTime(ratio, text);
  }
  for (const file of figures.files) {
    const [limit, listed] = [limitOf(file), share.files[file.name]];
    if (listed === undefined && file.seconds > limit) {
      const text = `${file.name} takes ${seconds(file.seconds)} of CPU, above ${limit} s, and is not in test/budget.json`;
      judgeTime(file.seconds / limit, text);
    }
    const waits = share.waits === null ? Infinity : share.waits * (file.kind === 'whole' ? 2 : 1);
    if (file.kind !== 'slow' && file.waited > waits) {
      const text = `${file.name} waits ${seconds(file.waited)}, above ${waits} s: only *.slow.test.ts may`;
      faults.push(text);
    }
  }
  for (const [name, { reason }] of Object.entries(share.files)) {
    if (reason.trim() === '') faults.push(`test/budget.json gives no reason for ${name}`);
  }
  if (share.starts !== null && figures.starts > share.starts) {
    faults.push(`the product is started ${figures.starts} times, above ${share.starts}`);
  }
  return { warnings, faults };
}

const seconds = (value: number) => `${value.toFixed(1)} s`;
