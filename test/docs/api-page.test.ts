import { expect } from 'chai';
import { errorStatus } from '../../core/errors.ts';
import { page } from '../support/docs/pages.ts';

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
