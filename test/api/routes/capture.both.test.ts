import { expect } from 'chai';
import { purgeExpired } from '../../../core/retention/purge.ts';
import { asBytes, bytesOf } from '../../support/clients/bytes.ts';
import { catchMail } from '../../support/context/catch.ts';
import { service } from '../../support/service.ts';

const BOX = '/api/mailboxes/box';

describe('caught mail over HTTP', () => {
  const test = service({ env: { RATE_LIMIT_PRO: '0' } });
  const { api, deliver } = test;
  let boxId: string;

  beforeEach(async () => {
    boxId = (await test.mailbox()).id;
  });

  const caught = (...to: string[]) => catchMail(test.context, boxId, { caught: to });
  const list = async (query = '') =>
    (await api.get(`${BOX}/messages${query}`).expect(200)).body as {
      messages: { id: string; envelope: { from: string; to: string[] } }[];
      nextCursor: string | null;
      total: number;
    };
  const idsTo = async (to: string) =>
    (await list(`?to=${encodeURIComponent(to)}`)).messages.map(({ id }) => id);
  const addresses = async (query = '') =>
    (await api.get(`${BOX}/recipients${query}`).expect(200)).body as {
      recipients: { address: string; messageCount: number; lastAt: string }[];
      nextCursor: string | null;
    };
  const countCaught = async () => {
    const { db } = test.context.store;
    return (await db.select().from(db.t.caughtRecipients)).length;
  };

  describe('the envelope', () => {
    it('lists all recipients of a caught message, and one of any other message', async () => {
      const [id] = await caught('Alice@gmail.com', 'bob@yahoo.com');
      const mail = await deliver(['box+a@one.test', 'box@one.test'], 'A: b\r\n\r\n');
      const { body } = await api.get(`${BOX}/messages/${id!}`).expect(200);
      expect(body.envelope).to.eql({
        from: 'app@client.example',
        to: ['Alice@gmail.com', 'bob@yahoo.com'],
      });
      for (const [n, to] of ['box+a@one.test', 'box@one.test'].entries()) {
        const own = await api.get(`${BOX}/messages/${mail.messages[n]!.id}`).expect(200);
        expect(own.body.envelope).to.eql({ from: 'sender@elsewhere.test', to: [to] });
      }
    });

    it('has an empty `from` for the null sender', async () => {
      await catchMail(test.context, boxId, { caught: ['a@b.test'], from: '' });
      expect((await list()).messages[0]!.envelope.from).to.equal('');
    });
  });

  describe('GET .../messages?to=', () => {
    it('finds any envelope recipient without regard to case, with the `total` of its messages', async () => {
      const [both] = await caught('Alice@Gmail.com', 'bob@yahoo.com');
      const [one] = await caught('alice@yahoo.com');
      await caught('alice+x@gmail.com');
      expect(await idsTo('alice@gmail.com')).to.eql([both]);
      expect(await idsTo('BOB@yahoo.com')).to.eql([both]);
      expect(await idsTo('alice@yahoo.com')).to.eql([one]);
      expect((await list('?to=alice@gmail.com')).total).to.equal(1);
      expect((await list('?to=nobody@gmail.com')).total).to.equal(0);
      expect((await list('?since=2000-01-01T00:00:00Z')).total).to.equal(3);
      expect((await list('?to=alice+x@gmail.com')).messages).to.have.length(1);
      for (const none of ['x', 'gmail.com', 'lice@gmail.com', '%', 'a b@c']) {
        expect(await idsTo(none)).to.eql([]);
      }
    });

    it('finds mail addressed to the mailbox, with a tag or without', async () => {
      const mail = await deliver(
        ['Box@one.test', 'box+News@one.test', 'box+other@one.test'],
        'A: b\r\n\r\n',
      );
      const [plain, news] = mail.messages.map(({ id }) => id);
      await caught('c@gmail.com');
      const [mixed] = await catchMail(test.context, boxId, {
        caught: ['d@gmail.com'],
        addressed: [['box@one.test', null]],
      });
      expect(await idsTo('box@one.test')).to.eql([mixed, plain]);
      expect(await idsTo('"box"@ONE.test')).to.eql([mixed, plain]);
      expect(await idsTo('box+news@one.test')).to.eql([news]);
      expect((await list('?to=box@one.test&limit=1')).total).to.equal(2);
      expect((await list('?to=box+news@one.test')).total).to.equal(1);
      expect(await idsTo('d@gmail.com')).to.eql([mixed]);
      expect(await idsTo('other@one.test')).to.eql([]);
    });

    it('pages through one recipient, with `since` and `view`', async () => {
      const ids: string[] = [];
      for (let n = 0; n < 5; n += 1) {
        ids.unshift((await caught('a@b.test', `n${n}@b.test`))[0]!);
        test.advance(10);
      }
      const seen: string[] = [];
      let query = '?to=a@b.test&limit=2&view=summary';
      for (;;) {
        const page = await list(query);
        seen.push(...page.messages.map(({ id }) => id));
        if (page.nextCursor === null) break;
        query = `?to=a@b.test&limit=2&view=summary&after=${page.nextCursor}`;
      }
      expect(seen).to.eql(ids);
      const shown = (await list('?to=a@b.test')).messages as unknown as { receivedAt: string }[];
      const since = shown[2]!.receivedAt;
      expect((await list(`?to=a@b.test&since=${since}`)).messages).to.have.length(2);
    });

    it('omits messages of other mailboxes, and deleted and expired ones', async () => {
      const [id] = await caught('a@b.test');
      await caught('a@b.test');
      await test.mailbox('other');
      expect(
        (await api.get('/api/mailboxes/other/messages?to=a@b.test').expect(200)).body.messages,
      ).to.eql([]);
      await api.delete(`${BOX}/messages/${id!}`).expect(204);
      expect(await idsTo('a@b.test')).to.have.length(1);
      expect(await countCaught()).to.equal(1);
      test.advance(86_400_000 + 1000);
      expect(await idsTo('a@b.test')).to.eql([]);
      expect((await addresses()).recipients).to.eql([]);
      await purgeExpired(test.context);
      expect(await countCaught()).to.equal(0);
    });
  });

  describe('GET .../recipients', () => {
    it('200: pages of caught addresses with their number of messages and the newest', async () => {
      await caught('b@x.test', 'A@x.test');
      test.advance(1000);
      await caught('a@X.test', 'c@x.test');
      await catchMail(test.context, boxId, {
        caught: ['c@x.test'],
        addressed: [['box@one.test', null]],
      });
      await deliver('box', 'A: b\r\n\r\n');
      const { recipients } = await addresses();
      expect(recipients.map(({ address, messageCount }) => [address, messageCount])).to.eql([
        ['a@x.test', 2],
        ['b@x.test', 1],
        ['c@x.test', 2],
      ]);
      const [a, b] = recipients;
      expect(Date.parse(a!.lastAt) - Date.parse(b!.lastAt)).to.be.within(1000, 60_000);
      const first = await addresses('?limit=2');
      expect(first.recipients).to.have.length(2);
      const second = await addresses(`?limit=2&after=${first.nextCursor!}`);
      expect(second.recipients.map(({ address }) => address)).to.eql(['c@x.test']);
      expect(second.nextCursor).to.equal(null);
    });
  });

  describe('DELETE .../messages', () => {
    it('200: deletes all messages and blobs in several batches; then 0', async () => {
      for (let n = 0; n < 3; n += 1) await caught('a@b.test');
      await deliver('box', 'A: b\r\n\r\n');
      expect((await api.delete(`${BOX}/messages`).expect(200)).body).to.eql({ deleted: 4 });
      expect((await list()).total).to.equal(0);
      expect(await countCaught()).to.equal(0);
      expect((await api.delete(`${BOX}/messages`).expect(200)).body).to.eql({ deleted: 0 });
    });

    it('200: with `to`, deletes only messages with this recipient', async () => {
      await caught('a@b.test', 'c@d.test');
      const [kept] = await caught('c@d.test');
      const { body } = await api.delete(`${BOX}/messages?to=A@b.test`).expect(200);
      expect(body).to.eql({ deleted: 1 });
      expect(await idsTo('c@d.test')).to.eql([kept]);
    });

    it('publishes `mailbox.cleared` once, and no event for an empty mailbox', async () => {
      await caught('a@b.test');
      await caught('a@b.test');
      const events = async () =>
        (await test.context.redis.keys('{mayfly}:events:*')).length === 0
          ? []
          : JSON.stringify(
              await Promise.all(
                (await test.context.redis.keys('{mayfly}:events:*')).map((key) =>
                  test.context.redis
                    .type(key)
                    .then((type) =>
                      type === 'stream' ? test.context.redis.xrange(key, '-', '+') : null,
                    ),
                ),
              ),
            );
      await api.delete(`${BOX}/messages`).expect(200);
      await api.delete(`${BOX}/messages`).expect(200);
      await test.context.events.publisher.close();
      const text = String(await events());
      expect(text.split('mailbox.cleared')).to.have.length(2);
      expect(text).not.to.contain('message.deleted');
    });
  });

  describe('POST .../messages/raw', () => {
    const RAW = 'From: A <a@x.test>\nTo: b@y.test\nSubject: =?utf-8?q?gr=C3=BC=C3=9Fe?=\n\nbody\n';
    const store = (query = '', raw: string | Buffer = RAW) =>
      api.post(`${BOX}/messages/raw${query}`).type('message/rfc822').send(raw);

    it('201: stores the bytes; the envelope is the From header and the mailbox', async () => {
      const { body } = await store().expect(201);
      const path = `${BOX}/messages/${body.messageId as string}`;
      const shown = (await api.get(path).expect(200)).body;
      expect(shown).to.include({ subject: 'grüße', from: 'a@x.test', text: 'body\n' });
      expect(shown.envelope).to.eql({ from: 'a@x.test', to: ['box@one.test'] });
      const raw = await asBytes(api.get(`${path}/raw`)).expect(200);
      expect(bytesOf(raw).toString()).to.equal(RAW);
    });

    it('201: with `from` and several `to`, which are caught recipients', async () => {
      const query = '?from=s@x.test&to=a+b@gmail.com&to=C@yahoo.com&to=c@yahoo.com';
      const { body } = await store(query).expect(201);
      const [shown] = (await list()).messages;
      expect(shown!.id).to.equal(body.messageId);
      expect(shown!.envelope).to.eql({ from: 's@x.test', to: ['a+b@gmail.com', 'C@yahoo.com'] });
      expect(await idsTo('c@yahoo.com')).to.eql([body.messageId]);
    });

    it('201: with addresses that applications use, shown as sent', async () => {
      for (const from of ['root', 'www-data@shop_web_1', 'no..reply@shop.example']) {
        const to = ['ann..lee@docomo.example', 'ann@my_host.internal', 'ann'];
        const query = new URLSearchParams({ from });
        for (const one of to) query.append('to', one);
        const { body } = await store(`?${query.toString()}`).expect(201);
        const path = `${BOX}/messages/${body.messageId as string}`;
        expect((await api.get(path).expect(200)).body.envelope).to.eql({ from, to });
        expect(await idsTo('ann..lee@docomo.example')).to.include(body.messageId);
      }
    });

    it('201: 1,000 `to`; 400: more, or another parameter behind them', async () => {
      const to = (count: number) => Array.from({ length: count }, (_, n) => `to=${n}@b`).join('&');
      for (const query of [to(1001), to(1003), `${to(1000)}&unexpected=1`]) {
        expect((await store(`?${query}`).expect(400)).body.code).to.equal('invalid_request');
      }
      const { body } = await store(`?${to(999)}&from=s@x.test&to=last@b`).expect(201);
      const [shown] = (await list()).messages;
      expect(shown!.id).to.equal(body.messageId);
      expect(shown!.envelope.to).to.have.length(1000).and.to.include('last@b');
      expect(shown!.envelope.from).to.equal('s@x.test');
    });

    // One byte more: statuses.test.ts.
    it('201: 25 MiB', async () => {
      const large = Buffer.alloc(25 * 1024 * 1024, `${'x'.repeat(998)}\r\n`);
      large.write('Subject: large\r\n\r\n');
      await store('', large).expect(201);
    });

    it('422: a malformed address', async () => {
      for (const query of ['?from=a%20b', '?to=a@b.test&to=a%20b@c']) {
        expect((await store(query).expect(422)).body.code).to.equal('unprocessable');
      }
      expect((await list()).total).to.equal(0);
    });
  });

  describe('GET .../messages/{id}/headers', () => {
    const headersOf = async (raw: string | Buffer) => {
      const mail = await deliver('box', raw);
      const path = `${BOX}/messages/${mail.messages[0]!.id}/headers`;
      return (await api.get(path).expect(200)).body.headers as { name: string; value: string }[];
    };

    it('200: all fields in order, unfolded and decoded, with repeated ones', async () => {
      const raw = [
        'Received: one',
        'Received: two;\r\n\tlater',
        'subject: =?utf-8?B?Z3I=?= =?UTF-8?B?w7zDn2U=?= x =?iso-8859-1?q?=E4_b?=',
        'X-Split: =?utf-8?B?w7w=?=\r\n =?utf-8?Q?=C3?= =?utf-8?Q?=BC?=',
        'X-Bad: =?nonsense?q?a?= =?utf-8?q?b',
        'no field',
        'X-Empty:',
        'X-Raw: grüße',
      ].join('\r\n');
      expect(await headersOf(`${raw}\r\n\r\nX-Body: no`)).to.eql([
        { name: 'Received', value: 'one' },
        { name: 'Received', value: 'two;\tlater' },
        { name: 'subject', value: 'grüße x ä b' },
        { name: 'X-Split', value: 'üü' },
        { name: 'X-Bad', value: 'a =?utf-8?q?b' },
        { name: 'X-Empty', value: '' },
        { name: 'X-Raw', value: 'grüße' },
      ]);
    });

    it('200: for a mail without a header, and for one in the blob store', async () => {
      expect(await headersOf('just text')).to.eql([]);
      const large = `A: b\r\n\r\n${'x'.repeat(1_100_000)}`;
      expect(await headersOf(large)).to.eql([{ name: 'A', value: 'b' }]);
    });
  });
});
