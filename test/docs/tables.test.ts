/** Tables of the documentation that list what the source defines. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { ROOT } from '../../core/root.ts';
import { allGroups } from '../faults/groups.ts';
import { page } from '../support/docs/pages.ts';

/** The cells of the rows with a number of columns, below the heading. */
const rows = (path: string, columns: number) =>
  [...page(path).text.matchAll(/^\| (.*) \|$/gm)]
    .map(([, row = '']) => row.split(' | ').map((cell) => cell.trim()))
    .filter((cells) => cells.length === columns && !cells[0]?.startsWith('---'));

describe('a table of the documentation', () => {
  it('lists all groups of faults with their numbers', () => {
    const groups = allGroups.map(({ title, faults }) => [title, `${faults.length}`]);
    expect(rows('docs/faults.md', 2)).to.deep.include.members(groups);
    const all = allGroups.flatMap(({ faults }) => faults);
    const quick = all.filter(({ slow }) => !slow);
    expect(page('docs/faults.md').text).to.include(
      `runs ${quick.length} of the ${all.length} faults once`,
    );
  });

  it('lists all parts of the benchmarks', () => {
    const source = readFileSync(join(ROOT, 'test/bench/main.ts'), 'utf8');
    const parts = [...source.matchAll(/^ {2}\['([\w-]+)', /gm)].map(([, name]) => name);
    const listed = rows('docs/benchmarks.md', 2).flatMap(([names = '']) =>
      [...names.matchAll(/`([a-z-]+)`/g)].map(([, name]) => name),
    );
    expect(parts).to.include('intake');
    expect(listed).to.include.members(parts);
  });
});
