import { expect } from 'chai';
import { createMailbox } from '../../core/mailboxes/mailboxes.ts';
import { openEventServer, type EventServer } from '../support/clients/event-stream.ts';
import { openTestApi } from '../support/context/api.ts';
import { type TestContext, openTestContext } from '../support/context/context.ts';
import { deliverMail } from '../support/context/deliver.ts';
import { codeOf } from '../support/docs/pages.ts';
import { eventually } from '../support/mocha/eventually.ts';
import { startProgram } from '../support/process/programs.ts';

describe('the wait of README.md', () => {
  let test: TestContext;
  let server: EventServer;

  before(async () => {
    test = await openTestContext();
    server = await openEventServer(openTestApi(test).app);
    await createMailbox(test.context, test.caller, 'hello');
  });
  after(async () => {
    await server.close();
    await test.close();
  });

  it('responds with the mail', async () => {
    const code = codeOf('README.md', 'sh', '/messages/wait');
    const here = code.replace('http://localhost:3000', server.url);
    const env = { PATH: process.env.PATH, TOKEN: test.workspace.token };
    const program = startProgram('sh', ['-c', here], env);
    await deliverMail(test.context, ['hello@one.test'], 'Subject: Your code\r\n\r\n482913');
    const answer = await eventually('the response', () => /^\{.*\}$/s.exec(program.output())?.[0]);
    expect(JSON.parse(answer)).to.have.nested.property('messages[0].text', '482913');
    await program.stop();
  });
});
