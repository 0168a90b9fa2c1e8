import { expect } from 'chai';
import { codeOf } from '../support/docs/pages.ts';
import { eventually } from '../support/mocha/eventually.ts';
import { startProgram } from '../support/process/programs.ts';
import { service } from '../support/service.ts';

describe('the wait of README.md', () => {
  const test = service({ mailboxes: ['hello'] });

  it('responds with the mail', async () => {
    const code = codeOf('README.md', 'sh', 'wait?subject=code');
    const here = code.replace('http://localhost:3000', (await test.listen()).url);
    const env = { PATH: process.env.PATH, TOKEN: test.workspace.token };
    const program = startProgram('sh', ['-c', here], env);
    await test.receive('hello', 'Subject: Your code\r\n\r\n482913');
    const answer = await eventually('the response', () => /^\{.*\}$/s.exec(program.output())?.[0]);
    expect(JSON.parse(answer)).to.have.nested.property('messages[0].text', '482913');
    await program.stop();
  });
});
