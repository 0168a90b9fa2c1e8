/**
 * Prints the tests that the short form leaves out, for scripts/test: a file of tests a line, or the
 * title of one test. Says on standard error why.
 */
import { ROOT } from '../../core/root.ts';
import { changesIn, unaffectedBy } from './by-change.ts';

try {
  const changes = changesIn(ROOT);
  const unaffected = changes === null ? [] : unaffectedBy(changes.files);
  const titles = unaffected.map(({ title }) => title).join(', ');
  console.error(
    changes === null
      ? '   nothing: this clone does not have the commit that passed ./scripts/test --all'
      : `   ${titles || 'nothing'}: their paths are as in ${changes.since.slice(0, 10)}, which passed --all`,
  );
  for (const { file, test, title } of unaffected) console.log(test === undefined ? file : title);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
