import { type Server, createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createApp } from '../../api/app.ts';
import { createMailbox } from '../../core/mailboxes/mailboxes.ts';
import { type TestContext, openTestContext } from '../support/context/context.ts';
import { deliverMail } from '../support/context/deliver.ts';
import { codeOf } from '../support/docs/pages.ts';
import { eventually } from '../support/mocha/eventually.ts';
import { startProgram } from '../support/process/programs.ts';

describe('the live events of the documentation', () => {
  let test: TestContext;
  let server: Server;
  let port: number;

  before(async () => {
    test = await openTestContext();
    server = createServer(createApp(test.context)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    ({ port } = server.address() as AddressInfo);
    await createMailbox(test.context, test.caller, 'hello');
  });
  after(async () => {
    server.closeAllConnections();
    server.close();
    await test.close();
  });

  const start = (program: string, ...args: string[]) =>
    startProgram(program, args, { PATH: process.env.PATH, TOKEN: test.workspace.token });
  const here = (code: string) => code.replace('localhost:3000', `127.0.0.1:${port}`);

  it('reach the program of docs/api.md', async () => {
    const code = here(codeOf('docs/api.md', 'js', 'message.received'));
    const program = start(process.execPath, '--input-type=module', '-e', code);
    await eventually('the stream', () => program.output().includes('send it now'));
    await deliverMail(test.context, ['hello@one.test'], 'Subject: Your code\r\n\r\n');
    await eventually('the subject', () => program.output().includes('Your code'));
    await program.stop();
  });
});
