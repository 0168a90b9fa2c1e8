/**
 * Prints what the run of scripts/test has taken, and fails if it is above test/budget.json. The
 * argument is the folder that the processes of mocha have written into.
 */
import { judge, readBudget } from './budget.ts';
import { type FileFigures, figuresOf, readRun } from './figures.ts';

const COSTLIEST = 10;
const [, , folder = ''] = process.argv;
const form = process.env.TEST_FORM === 'long' ? 'long' : 'short';

const budget = readBudget();
const run = readRun(folder);
if (run.laps.length === 0) {
  console.log('   nothing was measured: there is no /proc');
} else {
  const figures = figuresOf(run, budget.loop);
  const share = budget[form];
  const line = (value: number, text: string) => {
    console.log(`${value.toFixed(1).padStart(9)} s  ${text}`);
  };
  const list = (files: readonly FileFigures[], show: (file: FileFigures) => number) => {
    for (const file of files) line(show(file), file.name);
  };
  console.log(
    `   CPU time of the machine of reference; this one takes ${figures.slowness.toFixed(2)} times as long:`,
  );
  line(figures.total, `in all, of ${share.total ?? 'no recorded'} s`);
  for (const [kind, seconds] of figures.kinds) line(seconds, kind);
  console.log('   the costliest files:');
  list(figures.files.slice(0, COSTLIEST), ({ seconds }) => seconds);
  console.log('   only waiting, in files that are not slow:');
  const waiting = figures.files.filter(({ kind }) => kind !== 'slow');
  line(
    waiting.reduce((sum, { waited }) => sum + waited, 0),
    'in all',
  );
  list(waiting.toSorted((a, b) => b.waited - a.waited).slice(0, 3), ({ waited }) => waited);
  console.log(`   ${figures.starts} starts of the product, of ${share.starts ?? 'any number'}`);

  const { warnings, faults } = judge(figures, share, form);
  for (const warning of warnings) console.log(`   Warning: ${warning}`);
  for (const fault of faults) console.error(`   Above the budget: ${fault}`);
  if (faults.length > 0) process.exitCode = 1;
}
