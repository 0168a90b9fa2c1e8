import { type Form, type Share, limitOf } from './budget.ts';
import type { Figures } from './figures.ts';

/** CPU time varies with the other load of a machine. */
const NOTED_ABOVE = 1.3;
const FAILS_ABOVE = 2;

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
