import { expect } from 'chai';
import { UsageError } from '../../scripts/cli/run-script.ts';
import {
  parseCreateArguments,
  parseDeleteArguments,
  parseListArguments,
  parsePlanArguments,
  parseTokenArguments,
} from '../../scripts/cli/arguments.ts';

describe('the command line of token:create', () => {
  it('creates an admin token by default', () => {
    expect(parseTokenArguments(['--domain', 'x.test'])).to.deep.equal({
      ...{ domain: 'x.test', name: 'made by the operator', role: 'admin', json: false },
      ...{ expiresIn: null, mailboxes: null },
    });
  });

  it('creates a narrow token that expires', () => {
    const mailboxes = ['Signup-7', 'run:gh-8812', 'Welcome+tag@X.test'];
    const narrow = ['--expires-in', '3600', ...mailboxes.map((entry) => `--mailbox=${entry}`)];
    const args = ['--domain', 'x.test', '--role', 'reader', ...narrow];
    expect(parseTokenArguments(args)).to.include({ role: 'reader', expiresIn: 3600 });
    expect(parseTokenArguments(args).mailboxes).to.deep.equal([
      'signup-7',
      'run:gh-8812',
      'welcome',
    ]);
  });

  for (const [text, args] of Object.entries({
    '--domain is required': ['--role', 'member'],
    '--role must be reader, member or admin': ['--domain', 'x.test', '--role', 'root'],
    '--name must be a text': ['--domain', 'x.test', '--name', ' '],
    'of up to 200 characters': ['--domain', 'x.test', '--name', 'x'.repeat(201)],
    'seconds from 1 to 31536000, not "1d"': ['--domain', 'x.test', '--expires-in', '1d'],
    'not "0"': ['--domain', 'x.test', '--expires-in', '0'],
    'not "a b". "a b" is not a valid mailbox name.': ['--domain', 'x.test', '--mailbox', 'a b'],
    'An address must have the form name@x.test.': ['--domain', 'x.test', '--mailbox', 'a@y.test'],
    'The label key "Run" is invalid.': ['--domain', 'x.test', '--mailbox', 'Run:1'],
    'at most 100 times': ['--domain', 'x.test', ...Array(101).fill('--mailbox=x1')],
    "Unknown option '--dmoain'": ['--dmoain', 'x.test'],
  })) {
    it(`is rejected: ${text}`, () => {
      expect(() => parseTokenArguments(args)).to.throw(UsageError, text);
    });
  }
});

describe('the command lines for workspaces', () => {
  const domain = ['--domain', 'x.test'];
  for (const [parse, args, text] of [
    [
      parseCreateArguments,
      ['--name', 'x', ...domain, '--plan', 'gold'],
      '--plan must be free or pro',
    ],
    [parseCreateArguments, [], 'missing option: --name, --domain'],
    [parseCreateArguments, ['--nmae', 'x'], "Unknown option '--nmae'"],
    [parsePlanArguments, domain, '--plan is required'],
    [parsePlanArguments, [...domain, '--plan', 'gold'], '--plan must be free or pro'],
    [parseDeleteArguments, ['--yes'], '--domain is required'],
    [parseListArguments, ['--all'], "Unknown option '--all'"],
  ] satisfies [(args: string[]) => unknown, string[], string][]) {
    it(`are rejected: ${text} (${args.join(' ')})`, () => {
      expect(() => parse(args)).to.throw(UsageError, text);
    });
  }
});
