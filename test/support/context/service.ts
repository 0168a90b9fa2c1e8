/** A service for clients: the application on a port, over the context of a test. */
import { createApp } from '../../../api/app.ts';
import { openEventServer } from '../clients/event-stream.ts';
import { type TestContext, openTestContext } from './context.ts';
import { deliverMail } from './deliver.ts';

export interface TestService {
  readonly test: TestContext;
  readonly url: string;
  readonly token: string;
  /**
   * Stores a mail to an address of `one.test`, as if it arrived over SMTP. @returns its message id.
   */
  readonly receive: (name: string, subject: string, text?: string) => Promise<string>;
  readonly close: () => Promise<void>;
}

export async function openTestService(env: Record<string, string> = {}): Promise<TestService> {
  const test = await openTestContext({ RATE_LIMIT_PRO: '0', ...env });
  const server = await openEventServer(createApp(test.context));
  return {
    test,
    url: server.url,
    token: test.workspace.token,
    receive: async (name, subject, text = '') => {
      const head = `From: Shop <noreply@shop.example>\r\nTo: ${name}@one.test\r\nSubject: ${subject}`;
      const mail = await deliverMail(
        test.context,
        [`${name}@one.test`],
        `${head}\r\n\r\n${text}\r\n`,
      );
      return mail.messages[0]?.id ?? '';
    },
    close: async () => {
      await server.close();
      await test.close();
    },
  };
}
