import { join } from 'node:path';
import { expect } from 'chai';
import { ROOT } from '../../core/root.ts';
import { withConfigurationTables } from '../support/docs/configuration-tables.ts';
import { variables } from '../../core/config/config.ts';
import { page } from '../support/docs/pages.ts';

const PAGE = 'docs/configuration.md';

describe('docs/configuration.md', () => {
  it('is what test/long configuration writes', async () => {
    const { text } = page(PAGE);
    expect(await withConfigurationTables(text, join(ROOT, PAGE))).to.equal(text);
  });

  it('has a row for every variable', () => {
    const rows = [...page(PAGE).text.matchAll(/^\| `([A-Z][A-Z0-9_]*)`/gm)].map(([, name]) => name);
    expect(rows).to.have.members(Object.values(variables).flatMap(Object.keys));
  });
});
