/** Tables of the documentation that list what the source defines. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { ROOT } from '../../core/root.ts';
import { variables } from '../../core/config/config.ts';
import { errorStatus } from '../../core/errors.ts';
import { allGroups } from '../faults/groups.ts';
import { withConfigurationTables } from '../support/docs/configuration-tables.ts';
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

describe('haraka-plugin/README.md', () => {
  it('names files that exist', () => {
    const [table = ''] = page('haraka-plugin/README.md').text.split('## Settings');
    const names = [...table.matchAll(/^\| (`.+?) +\| /gm)].flatMap(([, cell = '']) =>
      [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name),
    );
    expect(names).to.include('hooks/rcpt');
    const missing = names.filter(
      (name) => !['', '.ts'].some((end) => existsSync(join(ROOT, 'haraka-plugin', name + end))),
    );
    expect(missing).to.deep.equal([]);
  });
});

const CONFIGURATION = 'docs/configuration.md';

describe('docs/configuration.md', () => {
  it('is what test/long configuration writes', async () => {
    const { text } = page(CONFIGURATION);
    const written = await withConfigurationTables(text, join(ROOT, CONFIGURATION));
    expect(text).to.equal(written);
  });

  it('has a row for every variable', () => {
    const rows = [...page(CONFIGURATION).text.matchAll(/^\| `([A-Z][A-Z0-9_]*)`/gm)].map(
      ([, name]) => name,
    );
    expect(rows).to.have.members(Object.values(variables).flatMap(Object.keys));
  });
});

describe('docs/api.md', () => {
  it('has every error code with its status', () => {
    const rows = [
      ...page('docs/api.md').text.matchAll(/^\| (\d{3}) +\| ((?:`\w+`(?:, )?)+) +\|$/gm),
    ];
    const shown = rows.flatMap(([, status, codes = '']) =>
      [...codes.matchAll(/\w+/g)].map(([code]) => [code, Number(status)]),
    );
    expect(Object.fromEntries(shown)).to.deep.equal(errorStatus);
  });
});
