/**
 * `npm run test:record`: writes the figures of the last run of `./scripts/test` into
 * test/budget.json, and its commit into test/whole-at if the run was a whole one.
 */
import { copyFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../core/root.ts';
import { BUDGET_FILE, readBudget, recorded } from './budget.ts';
import { WHOLE_AT } from './by-change.ts';
import { figuresOf, readRun } from './figures.ts';

/** Written by scripts/test. */
const FOLDER = join(ROOT, 'dist/.cache/test-use');
const [FORM, COMMIT] = [join(FOLDER, 'form'), join(FOLDER, 'commit')];

if (existsSync(FORM)) {
  const form = readFileSync(FORM, 'utf8').trim() === 'long' ? 'long' : 'short';
  const old = readBudget();
  const budget = recorded(old, form, figuresOf(readRun(FOLDER), old.loop));
  writeFileSync(BUDGET_FILE, `${JSON.stringify(budget, null, 2)}\n`);
  console.log(`Written: test/budget.json, ${form} form`);
  for (const [file, { reason }] of Object.entries(budget[form].files)) {
    if (reason === '') console.log(`  give a reason for ${file}`);
  }
} else {
  console.log('test/budget.json stays: in the last run a test has failed, or some were chosen');
}
if (existsSync(COMMIT)) {
  copyFileSync(COMMIT, join(ROOT, WHOLE_AT));
  console.log(`Written: ${WHOLE_AT}`);
} else {
  console.log(
    `${WHOLE_AT} stays: the last run was not ./scripts/test --all of a commit, or has failed`,
  );
}
