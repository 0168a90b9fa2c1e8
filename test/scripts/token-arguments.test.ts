import { expect } from 'chai';
import { UsageError } from '../../scripts/cli/run-script.js';
import { parseTokenArguments } from '../../scripts/cli/token-arguments.js';

describe('the command line of token:create', () => {
  it('creates an admin token by default', () => {
    expect(parseTokenArguments(['--domain', 'x.test'])).to.deep.equal({
      ...{ domain: 'x.test', name: 'made by the operator', role: 'admin', json: false },
    });
  });

  for (const [text, args] of Object.entries({
    '--domain is required': ['--role', 'member'],
    '--role must be reader, member or admin': ['--domain', 'x.test', '--role', 'root'],
    '--name must be a label': ['--domain', 'x.test', '--name', ' '],
    'of up to 200 characters': ['--domain', 'x.test', '--name', 'x'.repeat(201)],
    "Unknown option '--dmoain'": ['--dmoain', 'x.test'],
  })) {
    it(`is rejected: ${text}`, () => {
      expect(() => parseTokenArguments(args)).to.throw(UsageError, text);
    });
  }
});
