import { expect } from 'chai';
import { deliverWebhook } from '../../jobs/deliver-webhook.ts';
import { eventually } from '../support/mocha/eventually.ts';
import { freePort } from '../support/servers/free-port.ts';
import { type RunningProgram, startProgram } from '../support/process/programs.ts';
import { codeOf } from '../support/docs/pages.ts';
import { CHECK_VECTOR } from '../support/docs/signed-requests.ts';
import {
  QUICK_WEBHOOKS,
  type WebhookBench,
  openWebhookBench,
} from '../support/context/webhooks.ts';
import { service } from '../support/service.ts';
import { whileWorking } from '../support/context/workers.ts';

const PAGE = 'docs/webhooks.md';

describe('the Express receiver in docs/webhooks.md', () => {
  const test = service({ env: QUICK_WEBHOOKS, once: true });
  let bench: WebhookBench;
  let receiver: RunningProgram;
  let url: string;

  before(async () => {
    const port = await freePort();
    url = `http://127.0.0.1:${port}/`;
    bench = await openWebhookBench(test, url);
    const code = [
      "import express from 'express';",
      codeOf(PAGE, 'js', 'timingSafeEqual'),
      'const app = express();',
      codeOf(PAGE, 'js', 'express.raw'),
      `app.listen(${port}, '127.0.0.1', () => console.log('listening'));`,
    ].join('\n');
    receiver = startProgram(process.execPath, ['--input-type=module', '-e', code], {
      PATH: process.env.PATH,
      SECRET: bench.webhook.secret,
    });
    await eventually('the receiver', () => receiver.output().includes('listening'));
  });
  after(() => receiver.stop());

  it('takes a delivery, also a long one', async () => {
    await whileWorking(test, [deliverWebhook], async () => {
      await bench.mail(`Subject: long\r\n\r\n${'0123456789\r\n'.repeat(50_000)}`);
      await bench.settled('delivered');
    });
    expect((await bench.attempts()).map(({ statusCode }) => statusCode)).to.deep.equal([204]);
  });

  it('refuses what others send', async () => {
    const { headers, body } = CHECK_VECTOR;
    const answer = await fetch(url, { method: 'POST', headers, body: body.toString() });
    expect(answer.status).to.equal(401);
  });

  it('refuses what comes without a body', async () => {
    const { headers } = CHECK_VECTOR;
    for (const given of [{}, headers]) {
      expect((await fetch(url, { method: 'POST', headers: given })).status).to.equal(401);
    }
  });
});
