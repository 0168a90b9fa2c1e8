import { expect } from 'chai';
import { Webhook } from 'standardwebhooks';
import { signatureHeaders } from '../../../core/webhooks/signature.ts';
import { registerWebhook, rotateSecret } from '../../../core/webhooks/webhooks.ts';
import { attachmentMail } from '../../support/mail/attachment-mail.ts';
import { type Service, service } from '../../support/service.ts';
import { QUICK_WEBHOOKS, webhookTest } from '../../support/context/webhooks.ts';

describe('webhook deliveries', () => {
  const test = service({ env: QUICK_WEBHOOKS });
  const bench = webhookTest(test);
  const { receiver, working } = bench;

  it('contain the message, with a signature that standardwebhooks verifies', async () => {
    await working(async () => {
      const id = await bench.mail(
        'From: Zoë <zoe@b.test>\r\nTo: box@one.test\r\nSubject: =?utf-8?Q?Caf=C3=A9_=F0=9F=90=9E?=\r\n' +
          'Content-Type: text/plain; charset=utf-8\r\n\r\nGrüße 🐞 漢字\r\n',
      );
      const { headers, body } = await receiver.request(1);
      expect(headers).to.include({ 'content-type': 'application/json', 'webhook-id': id });
      const payload = new Webhook(bench.webhook.secret).verify(body, headers) as object;
      expect(payload).to.deep.include({ event: 'message.received', mailbox: 'box' });
      expect(payload).to.have.property('message').that.includes({
        id,
        from: 'zoe@b.test',
        subject: 'Café 🐞',
        text: 'Grüße 🐞 漢字\n',
        html: '',
      });
      await bench.settled('delivered');
    });
    expect(await bench.attempts()).to.have.length(1);
  });

  it('are attempted six times on schedule, then abandoned', async () => {
    receiver.answer(500);
    await working(async () => {
      await bench.mail();
      await bench.settled('abandoned');
    });
    expect(receiver.received).to.have.length(6);
    const ids = new Set(receiver.received.map(({ headers }) => headers['webhook-id']));
    expect(ids.size).to.equal(1);
    expect(await bench.outcomes()).to.deep.equal(Array(6).fill('http_error'));
    const attempts = await bench.attempts();
    attempts.slice(1).forEach(({ startedAt }, index) => {
      const before = attempts[index]!;
      expect(startedAt.getTime(), `attempt ${index + 2}`).to.be.at.least(
        before.nextAttemptAt!.getTime(),
      );
      const delay = [20, 40, 60, 80, 100][index]!;
      const ended = before.startedAt.getTime() + before.durationMs!;
      expect(before.nextAttemptAt!.getTime() - ended).to.be.at.least(delay - 1);
    });
  });

  it('keep their id over all attempts, with a new signature each', async () => {
    test.advance(5000);
    receiver.answer((_req, res) => {
      test.advance(5000);
      res.writeHead(500).end();
    });
    await working(async () => {
      await bench.mail();
      await receiver.request(2);
    });
    const [first, second] = receiver.received;
    expect(first!.headers['webhook-id']).to.equal(second!.headers['webhook-id']);
    for (const name of ['webhook-timestamp', 'webhook-signature']) {
      expect(first!.headers[name]).not.to.equal(second!.headers[name]);
    }
    new Webhook(bench.webhook.secret).verify(second!.body, second!.headers);
  });

  it('have two signatures after a rotation, and one after the overlap', async () => {
    const rotated = await rotateSecret(test.context, test.caller, 'box', bench.webhook.id, 3600);
    await working(async () => {
      await bench.mail();
      const { body, headers } = await receiver.request(1);
      for (const secret of [bench.webhook.secret, rotated.secret]) {
        new Webhook(secret).verify(body, headers);
      }
      test.advance(3600_001);
      await bench.mail();
      const later = await receiver.request(2);
      expect(later.headers['webhook-signature']).not.to.contain(' ');
      const { secret } = rotated;
      const at = Number(later.headers['webhook-timestamp']) * 1000;
      const id = later.headers['webhook-id']!;
      expect(signatureHeaders([secret], { id, at, body: later.body })).to.include({
        'webhook-signature': later.headers['webhook-signature'],
      });
    });
  });

  it('contain links rendered for each attempt, valid for an hour', async () => {
    const times: number[] = [];
    receiver.answer((_req, res) => {
      times.push(test.context.now());
      test.advance(2 * 3600_000);
      res.writeHead(times.length < 2 ? 500 : 200).end();
    });
    const large = { name: 'large.bin', bytes: Buffer.alloc(1_048_577, 'x') };
    await working(async () => {
      await bench.mail(attachmentMail([large]));
      await bench.settled('delivered');
    });
    const links = receiver.received.map(({ body }) => {
      const payload = JSON.parse(body.toString()) as {
        message: { attachments: { url: string }[] };
      };
      return new URL(payload.message.attachments[0]!.url);
    });
    links.forEach((link, n) => {
      const validMs = Number(link.searchParams.get('expires')) - times[n]!;
      expect(validMs).to.be.within(3_500_000, 3_600_000);
    });
    await test.api.get(links[1]!.pathname + links[1]!.search, null).expect(403);
  });

  it('with large bodies are sent two at a time per webhook', async () => {
    let open = 0;
    let most = 0;
    receiver.answer((_req, res) => {
      open += 1;
      most = Math.max(most, open);
      setTimeout(() => {
        open -= 1;
        res.writeHead(204).end();
      }, 50);
    });
    const raw = `Subject: large\r\n\r\n${`${'x'.repeat(70)}\r\n`.repeat(16_000)}`;
    await working(async () => {
      await bench.mail();
      await receiver.request(1); // after a success, ten requests are allowed
      for (let n = 0; n < 6; n += 1) await bench.mail(raw);
      await receiver.request(7);
    });
    expect(most).to.be.at.most(2);
  });

  it('leave no secret, URL or text of a mail in Redis', async () => {
    receiver.answer(500);
    await working(async () => {
      await bench.mail('From: a@b.test\r\nSubject: hush-subject\r\n\r\nhush-text\r\n');
      await bench.settled('abandoned');
    });
    const kept = JSON.stringify(await everythingIn(test));
    expect(kept).to.contain(bench.webhook.id);
    const secret = bench.webhook.secret.slice('whsec_'.length);
    for (const hidden of [secret, receiver.url, 'hush-subject', 'hush-text']) {
      expect(kept).not.to.contain(hidden);
    }
  });

  it('are also made for sent mail, once per webhook and recipient', async () => {
    await test.mailbox('second');
    const {
      webhook: { id },
    } = await registerWebhook(test.context, test.caller, 'second', receiver.url);
    await registerWebhook(test.context, test.caller, 'second', receiver.url);
    await working(async () => {
      const to = ['box@one.test', 'second@one.test', 'second+a@one.test'];
      await test.send('box', { to, subject: 's' });
      await receiver.request(5);
    });
    expect(receiver.received).to.have.length(5);
    const { db } = test.context.store;
    const owed = (await db.select().from(db.t.deliveries)).filter((row) => row.webhookId === id);
    expect(new Set(owed.map(({ messageId }) => messageId)).size).to.equal(2);
  });
});

/** All data in Redis, including jobs and event streams. */
async function everythingIn({ context: { redis } }: Service): Promise<unknown[]> {
  const read: Record<string, (key: string) => Promise<unknown>> = {
    string: (key) => redis.get(key),
    hash: (key) => redis.hgetall(key),
    list: (key) => redis.lrange(key, 0, -1),
    set: (key) => redis.smembers(key),
    zset: (key) => redis.zrange(key, '0', '-1'),
    stream: (key) => redis.xrange(key, '-', '+'),
  };
  const keys = await redis.keys('*');
  return Promise.all(keys.map(async (key) => [key, await read[await redis.type(key)]!(key)]));
}
