import { appRoutes } from '@bull-board/api/dist/routes.js';
import { expect } from 'chai';
import { firstJobId } from '../../../core/intake/accepted-mail.ts';
import { allJobs } from '../../../jobs/index.ts';
import { deliverWebhook } from '../../../jobs/deliver-webhook.ts';
import { ingestMessage } from '../../../jobs/ingest.ts';
import { GiveUp } from '../../../core/queue/job.ts';
import { acceptTogether, openTestIntake } from '../../support/context/accept-together.ts';
import { browserTabs } from '../../support/browser/tabs.ts';
import type { TestContext } from '../../support/context/context.ts';
import { eventually } from '../../support/mocha/eventually.ts';
import {
  OPERATOR,
  type TestBoard,
  WITH_BOARD,
  failIngest,
  openTestBoard,
} from '../../support/context/queue-board.ts';
import { type Receiver, openReceiver } from '../../support/servers/receiver.ts';
import {
  QUICK_WEBHOOKS,
  type WebhookBench,
  openWebhookBench,
} from '../../support/context/webhooks.ts';
import { whileWorking } from '../../support/context/workers.ts';
import { service } from '../../support/service.ts';

const MAIL = 'From: a@b.test\r\nSubject: Veiled subject\r\n\r\nVeiled text\r\n';

describe('the queue board', () => {
  let board: TestBoard;

  describe('with failed deliveries and mail', () => {
    const test = service({ once: true, env: { ...QUICK_WEBHOOKS, ...WITH_BOARD } });
    const openTab = browserTabs();
    let receiver: Receiver;
    let bench: WebhookBench;
    let delivered: string;
    let abandoned: string;
    let failedMail: string;
    let delayedMail: string;

    before(async () => {
      board = openTestBoard(test);
      receiver = await openReceiver();
      bench = await openWebhookBench(test, `${receiver.url}?key=veiled-key`);
      await whileWorking(test, [deliverWebhook], async () => {
        await bench.mail(MAIL);
        delivered = (await bench.settled('delivered')).id;
        receiver.answer((_req, res) => res.writeHead(500).end('Veiled answer'));
        await bench.mail(MAIL);
        abandoned = (await bench.settled('abandoned')).id;
        await eventually('the jobs to be over', async () => {
          const states = [delivered, abandoned].map((id) =>
            test.context.queues.stateOf(deliverWebhook, id),
          );
          return (await Promise.all(states)).join() === 'completed,failed';
        });
      });
      // Like a database error that quotes its parameters.
      const quoting = new Error('Failed query: insert\nparams: Veiled text');
      failedMail = await failIngest(test, new GiveUp('quarantined\nVeiled text'), 'failed', {
        raw: MAIL,
      });
      delayedMail = await failIngest(test, quoting, 'delayed', { raw: MAIL });
    });
    after(() => receiver.close());

    it('shows all queues, and which ones can be changed', async () => {
      const { queues } = (await board.get('/api/queues').expect(200)).body;
      const shown = Object.fromEntries(
        (queues as { name: string; readOnlyMode: boolean }[]).map((q) => [q.name, q.readOnlyMode]),
      );
      expect(shown).to.deep.equal(
        Object.fromEntries(allJobs.map(({ name }) => [name, !name.startsWith('ingest-')])),
      );
    });

    it('has a policy without external resources', async () => {
      const { headers, text } = await board.get('').expect(200);
      const policy = String(headers['content-security-policy']).split(';');
      expect(policy).to.include.members([
        "default-src 'self'",
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data:",
        "frame-ancestors 'none'",
      ]);
      expect(headers).to.include({
        'x-content-type-options': 'nosniff',
        'cache-control': 'no-store',
      });
      expect(headers).not.to.have.property('x-powered-by');
      expect(text)
        .to.contain('<base href="/admin/queues/" />')
        .and.not.match(/https?:/);
    });

    it('names deliveries by webhook, message and attempt', async () => {
      const [first, second] = await bench.deliveries();
      const name = async (id: string) =>
        (await board.get(`/api/queues/deliver-webhook/${id}`).expect(200)).body.job.name as string;
      const { id } = bench.webhook;
      expect(await name(delivered)).to.equal(`${id} ${first!.messageId} attempt 1`);
      expect(await name(abandoned)).to.equal(`${id} ${second!.messageId} attempt 6`);
    });

    it('shows the mails that share a job', async () => {
      const ids = await acceptTogether(openTestIntake(test.context), 'mbx_box', [MAIL, MAIL]);
      const path = '/api/queues?activeQueue=ingest-message&status=prioritized';
      const { queues } = (await board.get(path).expect(200)).body as {
        queues: { name: string; jobs: { name: string; data: { mails?: object[] } }[] }[];
      };
      const jobs = queues.find(({ name }) => name === ingestMessage.name)?.jobs ?? [];
      const group = jobs.find(({ data }) => data.mails);
      expect(group?.name).to.equal(`2 mails: ${ids.join(' ')}`);
      expect(group?.data.mails?.[1]).to.include({ ingestId: ids[1] });
      await test.context.queues.discard(ingestMessage, firstJobId(ids[0]!));
    });

    it('shows the reason of a failure without the content of the mail', async () => {
      const { body } = await board.get(`/api/queues/ingest-message/${delayedMail}`).expect(200);
      expect(body.job.failedReason).to.equal('Failed query: insert');
      expect(body.job.stacktrace[0]).to.match(/^Error: Failed query: insert\n {4}at .+:\d+:\d+\)?/);
    });

    it('shows no secret, URL, mail content or response on any page', async () => {
      const reads = appRoutes.api.filter(({ method }) => method === 'get');
      const jobs = {
        'deliver-webhook': [delivered, abandoned],
        'ingest-message': [failedMail, delayedMail],
      };
      const paths = Object.entries(jobs).flatMap(([queue, ids]) => [
        ...ids.flatMap((id) => reads.map(({ route }) => filled(String(route), queue, id))),
        ...['latest', 'completed', 'failed', 'delayed'].map(
          (status) => `/api/queues?activeQueue=${queue}&status=${status}`,
        ),
      ]);
      const texts = await Promise.all(
        paths.map(async (path) => (await board.get(path).expect(200)).text),
      );
      const all = texts.join('\n');
      for (const id of Object.values(jobs).flat()) expect(all).to.contain(id);
      expect(all).not.to.match(/veiled/i);
      expect(all).not.to.contain(bench.webhook.secret);
      expect(all).not.to.contain(receiver.url);
    });

    it('returns at most 100 jobs at once', async () => {
      const path = '/api/queues?activeQueue=deliver-webhook&status=failed&jobsPerPage=1000000';
      const { queues } = (await board.get(path).expect(200)).body;
      const { range } = queues.find(({ name }: { name: string }) => name === 'deliver-webhook')
        .pagination as { range: object };
      expect(range).to.deep.equal({ start: 0, end: 99 });
    });

    for (const { method, route, forMail } of changes()) {
      it(`403: ${method} ${route}, and nothing changes`, async () => {
        const before = await dump(test);
        const refuse = async (queue: string, id: string) => {
          const request = board.send(method, filled(route, queue, id)).send(FITTING_BODY);
          expect((await request.expect(403)).body).to.include({ code: 'forbidden' });
        };
        await refuse('deliver-webhook', abandoned);
        if (!forMail) await refuse('ingest-message', failedMail);
        expect(await dump(test)).to.deep.equal(before);
      });
    }

    it('413: a body that is too long', async () => {
      const path = `/api/queues/ingest-message/${failedMail}/retry`;
      const { body } = await board
        .send('put', path)
        .send({ x: 'x'.repeat(200_000) })
        .expect(413);
      expect(body).to.include({ code: 'payload_too_large' });
    });

    it('works in a browser without external requests', async () => {
      const [first] = await bench.deliveries();
      const { url } = await test.listen();
      const password = Buffer.from(`${OPERATOR.username}:${OPERATOR.password}`).toString('base64');
      const headers = { Authorization: `Basic ${password}` };
      const { page, foreign, faults } = await openTab(url, { headers });
      await page.goto(`${url}/admin/queues/queue/deliver-webhook`);
      await page.getByText(`${bench.webhook.id} ${first!.messageId} attempt 1`).waitFor();
      expect(foreign()).to.deep.equal([]);
      expect(faults).to.deep.equal([]);
    });
  });

  describe('for ingest jobs', () => {
    const test = service({ env: WITH_BOARD, mailboxes: ['box'] });
    beforeEach(() => (board = openTestBoard(test)));

    const state = (id: string) => test.context.queues.stateOf(ingestMessage, id);

    for (const [what, path, error, from] of [
      ['retries failed', ':id/retry', new GiveUp('quarantined'), 'failed'],
      ['retries failed', 'retry/failed', new GiveUp('quarantined'), 'failed'],
      ['promotes delayed', ':id/promote', new Error('busy'), 'delayed'],
      ['promotes delayed', 'promote', new Error('busy'), 'delayed'],
    ] as const) {
      for (const priority of [0, 7]) {
        it(`${what} jobs with priority ${priority}, and none before all others: ${path}`, async () => {
          const id = await failIngest(test, error, from, { priority });
          const { status } = await board.send(
            'put',
            `/api/queues/ingest-message/${path.replace(':id', id)}`,
          );
          expect(status).to.be.oneOf([200, 204]);
          expect(await state(id)).to.equal('prioritized');
          const job = await (await test.context.queues.open(ingestMessage)).getJob(id);
          expect(job?.priority).to.equal(priority || 10);
          await whileWorking(test, [ingestMessage], () =>
            eventually('the mail to be stored', async () => (await state(id)) === 'unknown'),
          );
        });
      }
    }

    it('422: a job in another state', async () => {
      const id = await failIngest(test, new GiveUp('quarantined'), 'failed');
      const answer = await board.send('put', `/api/queues/ingest-message/${id}/promote`);
      expect(answer.status).to.equal(422);
      expect(answer.body).to.include({ code: 'unprocessable' });
    });
  });
});

/**
 * Every change that the board supports, including later versions; some are allowed for ingest jobs.
 */
function changes() {
  const forMail = [
    'put /api/queues/:queueName/retry/:queueStatus',
    'put /api/queues/:queueName/promote',
    'put /api/queues/:queueName/:jobId/retry',
    'put /api/queues/:queueName/:jobId/promote',
  ];
  return appRoutes.api
    .flatMap(({ method, route }) =>
      [method].flat().map((one) => ({ method: one, route: String(route) })),
    )
    .filter(({ method }) => method !== 'get')
    .map((change) => ({
      ...change,
      forMail: forMail.includes(`${change.method} ${change.route}`),
    }));
}

/** Valid for every kind of body that the board accepts. */
const FITTING_BODY = {
  ...{ name: 'forged', data: {}, options: {}, jobData: {}, force: true, runAt: 1, priority: 1 },
  ...{ concurrency: 1, max: 1, duration: 1, every: 1000 },
};

function filled(route: string, queue: string, id: string): string {
  return route
    .replace(':queueName', queue)
    .replace(':jobId', id)
    .replace(':schedulerId', 'none')
    .replace(':queueStatus', 'failed');
}

/** All data in Redis. */
async function dump({ context }: Pick<TestContext, 'context'>): Promise<Record<string, string>> {
  const keys = (await context.redis.keys('*')).sort();
  const values = await Promise.all(
    keys.map(async (key) => {
      const isKept = (await context.redis.pttl(key)) === -1; // others expire
      return isKept ? (await context.redis.dumpBuffer(key)).toString('hex') : '';
    }),
  );
  return Object.fromEntries(
    keys.map((key, n) => [key, values[n] ?? '']).filter(([, value]) => value !== ''),
  );
}
