import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createApp } from '../../api/app.js';
import { createMailbox } from '../../core/mailboxes/mailboxes.js';
import { type TestContext, openTestContext } from '../support/context/context.js';
import { deliverMail } from '../support/context/deliver.js';
import { eventually } from '../support/mocha/eventually.js';
import { startProgram } from '../support/process/programs.js';
import { readmeCode } from '../support/docs/readme.js';

describe('the test that waits for its mail in README.md', () => {
  let test: TestContext;
  let server: Server;

  before(async () => {
    test = await openTestContext();
    server = createServer(createApp(test.context)).listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  after(async () => {
    server.close();
    await test.close();
  });

  it('sees the mail that is sent once it waits', async () => {
    await createMailbox(test.context, test.caller, 'hello');
    const { port } = server.address() as AddressInfo;
    const code = readmeCode('js', 'message.received').replace(':3000', `:${port}`);
    const program = startProgram(process.execPath, ['--input-type=module', '-e', code], {
      PATH: process.env.PATH,
      TOKEN: test.workspace.token,
    });
    await eventually('the stream', () => program.output().includes('send it now'));
    await deliverMail(test.context, ['hello@one.test'], 'Subject: Your code\r\n\r\n');
    await eventually('the subject', () => program.output().includes('Your code'));
    await program.stop();
  });
});
