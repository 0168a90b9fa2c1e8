import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect } from 'chai';
import { ROOT } from '../../core/root.ts';
import { type TestService, openTestService } from '../support/context/service.ts';
import { type Block, page } from '../support/docs/pages.ts';

const OUTPUT = `482913
true https://shop.example/verify?t=Zk3x9QmP7L
No message with subject "Invoice" in mailbox "NAME" within 1.0 s.
2 other messages considered. The nearest:
Confirm
Confirm
Your sign-in code
message.received
1
hello
`;

describe('the programs of the documentation that use @mayfly/client', () => {
  let service: TestService;

  before(async () => {
    service = await openTestService();
  });
  after(() => service.close());

  /**
   * Runs the blocks of a page as one program. @returns its output, with names and times of the
   * page.
   */
  const outputOf = async (path: string) => {
    const isOurs = ({ language, check }: Block) =>
      language === 'js' && check === 'test=test/docs/client.test.ts';
    const blocks = page(path).blocks.filter(isOurs);
    const code = blocks.map((block) => block.code).join('');
    const env = { PATH: process.env.PATH, MAYFLY_URL: service.url, MAYFLY_TOKEN: service.token };
    const child = spawn(process.execPath, ['--input-type=module', '-e', code], { cwd: ROOT, env });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
    }
    await once(child, 'close');
    return output
      .replace(/mailbox "[^"]+"/, 'mailbox "NAME"')
      .replace(/within \d+\.\d s/, 'within 1.0 s')
      .replace(/^ {2}msg_.*\n/gm, '');
  };

  it('runs docs/client.md', async () => {
    expect(await outputOf('docs/client.md')).to.equal(OUTPUT);
  });

  for (const path of ['README.md', 'packages/client/README.md']) {
    it(`runs ${path}`, async () => {
      expect(await outputOf(path)).to.equal('482913\n');
    });
  }
});
