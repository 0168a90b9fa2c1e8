/** The samples of docs/client.md for test runners are those of the examples, which run. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT } from '../../core/root.ts';
import { codeOf } from '../support/docs/pages.ts';

const PAGE = 'docs/client.md';
const SAMPLES = {
  'sign-up.spec.js': '@mayfly/client/playwright',
  'sign-up.test.js': 'toHaveReceivedCode',
  'cypress/e2e/sign-up.cy.js': 'cy.createMailbox',
};

/** @throws when a line of a sample is not in its example. */
export async function checkRunnerSamples(): Promise<void> {
  for (const [file, part] of Object.entries(SAMPLES)) {
    const example = await readFile(join(ROOT, 'examples/sign-up', file), 'utf8');
    for (const line of codeOf(PAGE, 'js', part).split('\n')) {
      if (!example.includes(line.trim())) throw new Error(`${file} has no line ${line}`);
    }
  }
}
