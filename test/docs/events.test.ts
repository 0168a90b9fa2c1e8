import { codeOf } from '../support/docs/pages.ts';
import { eventually } from '../support/mocha/eventually.ts';
import { startProgram } from '../support/process/programs.ts';
import { service } from '../support/service.ts';

describe('the live events of the documentation', () => {
  const test = service({ mailboxes: ['hello'] });

  it('reach the program of docs/api.md', async () => {
    const code = codeOf('docs/api.md', 'js', 'message.received');
    const here = code.replace('http://localhost:3000', (await test.listen()).url);
    const env = { PATH: process.env.PATH, TOKEN: test.workspace.token };
    const program = startProgram(process.execPath, ['--input-type=module', '-e', here], env);
    await eventually('the stream', () => program.output().includes('send it now'));
    await test.receive('hello', 'Subject: Your code\r\n\r\n');
    await eventually('the subject', () => program.output().includes('Your code'));
    await program.stop();
  });
});
