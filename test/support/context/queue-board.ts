/** The queue board over the context of a test, and jobs that it shows. */
import supertest from 'supertest';
import { createApp } from '../../../api/app.ts';
import type { AnyJob } from '../../../core/queue/job.ts';
import { ingestMessage } from '../../../jobs/ingest.ts';
import { acceptMail } from './accept.ts';
import type { TestContext } from './context.ts';
import { eventually } from '../mocha/eventually.ts';
import { whileWorking } from './workers.ts';

export const OPERATOR = { username: 'operator', password: 'a long password' };

/** Settings that enable the board. */
export const WITH_BOARD = { OPERATOR_PASSWORD: OPERATOR.password };

export interface TestBoard {
  readonly get: (path: string) => supertest.Test;
  readonly send: (method: string, path: string) => supertest.Test;
}

export function openTestBoard({ context }: Pick<TestContext, 'context'>): TestBoard {
  const app = createApp(context);
  const send = (method: string, path: string) =>
    supertest(app)
      [method as 'get'](`/admin/queues${path}`)
      .auth(OPERATOR.username, OPERATOR.password);
  return { get: (path) => send('get', path), send };
}

/** Creates a mail whose job has this error and state. Returns the id of the job. */
export async function failIngest(
  test: Pick<TestContext, 'context' | 'config'>,
  error: Error,
  state: 'failed' | 'delayed',
  { raw = 'Subject: Hi\r\n\r\nHello\r\n', priority = 0 } = {},
): Promise<string> {
  const { queues } = test.context;
  const mail = await acceptMail(test.context, ['box@one.test'], raw);
  const failing: AnyJob = {
    ...ingestMessage,
    backoff: () => 3_600_000,
    runUnknown: async () => {
      throw error;
    },
  };
  await whileWorking(test, [failing], async () => {
    await queues.enqueue(ingestMessage, mail, mail.ingestId, priority);
    await eventually(`the job to be ${state}`, async () => {
      return (await queues.stateOf(ingestMessage, mail.ingestId)) === state;
    });
  });
  return mail.ingestId;
}
