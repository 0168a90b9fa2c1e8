import { expect } from 'chai';
import { type Block, page } from '../support/docs/pages.ts';
import { runNode } from '../support/process/command.ts';
import { service } from '../support/service.ts';

const OUTPUT = `482913
731904
true
true https://shop.example/verify?t=Zk3x9QmP7L
4 messages for NAME
No message with subject "Invoice" within 1.0 s.
The nearest:
Confirm
Confirm
Receipt
Your sign-in code
Your sign-in code
message.received
1
hello
`;

describe('the programs of the documentation that use @mayfly/client', () => {
  const test = service({ env: { RATE_LIMIT_PRO: '0' }, once: true });

  /**
   * Runs the blocks of a page as one program. @returns its output, with names and times of the
   * page.
   */
  const outputOf = async (path: string) => {
    const isOurs = ({ language, check }: Block) =>
      language === 'js' && check === 'test=test/docs/client.test.ts';
    const blocks = page(path).blocks.filter(isOurs);
    const code = blocks.map((block) => block.code).join('');
    const program = ['--input-type=module', '-e', code];
    const { stdout, stderr } = await runNode(program, await test.clientEnv());
    return `${stdout}${stderr}`
      .replace(/ for \S+@\S+/, ' for NAME')
      .replace(/within \d+\.\d s/, 'within 1.0 s')
      .replace(/^ {2}msg_.*\n/gm, '');
  };

  it('runs docs/client.md', async () => {
    expect(await outputOf('docs/client.md')).to.equal(OUTPUT);
  });

  for (const path of ['README.md', 'packages/client/README.md']) {
    it(`runs ${path}`, async () => {
      expect(await outputOf(path)).to.equal('482913\n731904\n');
    });
  }
});
