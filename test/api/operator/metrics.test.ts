import { expect } from 'chai';
import supertest from 'supertest';
import { createApp } from '../../../api/app.ts';
import { openMetrics } from '../../../core/metrics/metrics.ts';
import { indexMails } from '../../../core/search/index-mails.ts';
import { deliverWebhook } from '../../../jobs/deliver-webhook.ts';
import { ingestMessage } from '../../../jobs/ingest.ts';
import { acceptMail } from '../../support/context/accept.ts';
import { openTestApi } from '../../support/context/api.ts';
import { openTestContext } from '../../support/context/context.ts';
import { deliverMail } from '../../support/context/deliver.ts';
import { openReceiver } from '../../support/servers/receiver.ts';
import { type Samples, samplesIn } from '../../support/docs/samples.ts';
import { QUICK_WEBHOOKS, openWebhookBench } from '../../support/context/webhooks.ts';
import { whileWorking } from '../../support/context/workers.ts';
import { service } from '../../support/service.ts';

const OPERATOR_PASSWORD = 'long enough';
const MAIL = 'From: a@b.test\r\nSubject: Hi\r\n\r\nHello\r\n';

describe('/metrics', () => {
  const test = service({
    once: true,
    env: { OPERATOR_PASSWORD, ...QUICK_WEBHOOKS },
    mailboxes: ['inbox'],
  });

  const scrape = async (context = test.context): Promise<Samples> => {
    const { text, headers } = await supertest(createApp(context))
      .get('/metrics')
      .auth('operator', OPERATOR_PASSWORD)
      .expect(200);
    expect(headers['content-type']).to.equal('text/plain; version=0.0.4; charset=utf-8');
    return samplesIn(text);
  };

  it('401: without the operator password', async () => {
    const app = createApp(test.context);
    await supertest(app)
      .get('/metrics')
      .expect(401)
      .expect('WWW-Authenticate', /^Basic /);
    await supertest(app).get('/metrics').auth(test.workspace.token, { type: 'bearer' }).expect(401);
  });

  it('200: requests by route, without mailbox names', async () => {
    const api = openTestApi(test);
    await api.get('/api/mailboxes/inbox/messages').expect(200);
    await api.get('/api/mailboxes/inbox/messages/msg_x').expect(404);
    await api.get('/api/nowhere/inbox').expect(404);
    const samples = await scrape();
    const asked = (route: string, status: string) =>
      samples.sum('mayfly_http_requests_total', { method: 'GET', route, status });
    expect(asked('/api/mailboxes/:name/messages', '200')).to.equal(1);
    expect(asked('/api/mailboxes/:name/messages/:id', '404')).to.equal(1);
    expect(asked('none', '404')).to.equal(1);
    const routes = [...samples.values('mayfly_http_requests_total', 'route')];
    expect(routes.filter((route) => route?.includes('inbox'))).to.deep.equal([]);
    expect(samples.sum('mayfly_http_request_seconds_count')).to.equal(
      samples.sum('mayfly_http_requests_total'),
    );
  });

  it('200: waiting mail and its outcome', async () => {
    const { context } = test;
    const mail = await acceptMail(context, ['inbox@one.test'], MAIL);
    await context.queues.enqueue(ingestMessage, mail, mail.ingestId);
    test.advance(90_000);
    const waiting = await scrape();
    const queue = ingestMessage.name;
    expect(waiting.sum('mayfly_queue_jobs', { queue, state: 'waiting' })).to.equal(1);
    expect(waiting.sum('mayfly_queue_oldest_waiting_seconds', { queue })).to.be.within(89, 200);
    expect(waiting.sum('mayfly_raw_mails', { state: 'waiting' })).to.equal(1);
    expect(waiting.sum('mayfly_raw_mail_bytes', { state: 'waiting' })).to.equal(MAIL.length);
    expect(waiting.sum('mayfly_mails_stored_total')).to.equal(0);

    await ingestMessage.run(context, mail, { jobId: mail.ingestId, start: 1, stalls: 0 });
    const stored = await scrape();
    expect(stored.sum('mayfly_mails_stored_total')).to.equal(1);
    expect(stored.sum('mayfly_raw_mails')).to.equal(0);
    expect(stored.sum('mayfly_mail_parse_seconds_count')).to.equal(1);
    expect(stored.sum('mayfly_group_commit_mails_sum')).to.equal(1);
    expect(stored.sum('mayfly_ingest_lag_seconds_sum')).to.be.within(90, 200);
    await context.queues.discard(ingestMessage, mail.ingestId);
  });

  it('200: mail that waits for the search index', async () => {
    await indexMails(test.context);
    const before = await scrape();
    expect(before.sum('mayfly_search_index_pending')).to.equal(0);
    expect(before.sum('mayfly_search_index_lag_seconds')).to.equal(0);
    await test.receive('inbox', MAIL);
    test.advance(70_000);
    await test.receive('inbox', MAIL);
    const waiting = await scrape();
    expect(waiting.sum('mayfly_search_index_pending')).to.equal(2);
    expect(waiting.sum('mayfly_search_index_lag_seconds')).to.be.within(69, 1000);
    await indexMails(test.context);
    const indexed = await scrape();
    expect(indexed.sum('mayfly_search_index_pending')).to.equal(0);
    expect(indexed.names).to.include('mayfly_search_index_lag_seconds');
    expect(indexed.sum('mayfly_search_index_lag_seconds')).to.equal(0);
  });

  it('200: delivery attempts by outcome', async () => {
    const receiver = await openReceiver();
    const bench = await openWebhookBench(test, receiver.url, 'hooked');
    await bench.mail();
    test.advance(5000);
    expect((await scrape()).sum('mayfly_webhook_overdue_seconds')).to.be.within(4, 60);
    await whileWorking(test, [deliverWebhook], () => bench.settled('delivered'));
    const samples = await scrape();
    expect(samples.sum('mayfly_webhook_overdue_seconds')).to.equal(0);
    expect(samples.sum('mayfly_webhook_attempts_total', { outcome: 'delivered' })).to.equal(1);
    expect(samples.sum('mayfly_webhook_deliveries_total', { state: 'delivered' })).to.equal(1);
    expect(samples.sum('mayfly_webhook_deliveries_total')).to.equal(1);
    expect(samples.sum('mayfly_webhook_attempt_seconds_count')).to.equal(1);
    expect(samples.sum('mayfly_webhook_queue_delay_seconds_sum')).to.be.within(4, 60);
    await receiver.close();
  });

  it('200: any web process returns all processes, until a minute after their last report', async () => {
    const other = await test.another();
    await deliverMail(other, ['inbox@one.test'], MAIL);
    const before = await scrape();
    await other.metrics.reports.report(other.metrics);
    const smtp = openMetrics('smtp');
    smtp.smtp.accepted.inc(3);
    await other.metrics.reports.report(smtp);

    const [ours, theirs] = [await scrape(), await scrape(other)];
    for (const samples of [ours, theirs]) {
      const stored = samples.sum('mayfly_mails_stored_total');
      expect(stored).to.equal(before.sum('mayfly_mails_stored_total') + 1);
      expect(samples.sum('mayfly_smtp_mails_accepted_total', { process: 'smtp' })).to.equal(3);
      const reporting = samples.values('mayfly_process_report_age_seconds', 'instance');
      const instances = [test.context, other].map(({ metrics }) => metrics.instance);
      expect(reporting).to.deep.equal(new Set([...instances, smtp.instance]));
    }

    const { redis, config } = test.context;
    const [seconds] = await redis.time();
    const times = `${config.redisPrefix}:metrics:times`;
    await redis.zadd(times, Number(seconds) - 61, `smtp ${smtp.instance}`);
    expect((await scrape()).names).not.to.include('mayfly_smtp_mails_accepted_total');
    expect(await redis.zcard(times)).to.equal(2);
  });

  it('does not write reports to the append-only file', async () => {
    const { redis, metrics } = test.context;
    const size = async () => /aof_current_size:(\d+)/.exec(await redis.info('persistence'))?.[1];
    const before = await size();
    await metrics.reports.report(metrics);
    expect(Number(before)).to.be.greaterThan(0);
    expect(await size()).to.equal(before);
    await redis.set('counter-proof', '1');
    expect(await size()).not.to.equal(before);
  });

  it('200: only this process while Redis is unavailable, which it reports', async () => {
    const before = await scrape();
    expect(before.sum('mayfly_part_up')).to.equal(3);
    await test.redis.kill();
    const samples = await scrape();
    await test.redis.start();
    expect(samples.sum('mayfly_part_up')).to.equal(2);
    expect(samples.sum('mayfly_part_up', { part: 'redis' })).to.equal(0);
    expect(samples.sum('mayfly_http_requests_total')).to.be.greaterThan(0);
    expect(samples.names).not.to.include('mayfly_queue_jobs');
  });
});

describe('/metrics without a password in production', () => {
  it('404: not available', async () => {
    const test = await openTestContext({ NODE_ENV: 'production' });
    await supertest(createApp(test.context)).get('/metrics').auth('operator', '').expect(404);
    await test.close();
  });
});
