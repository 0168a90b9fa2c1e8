import { expect } from 'chai';
import { createMailboxes } from '../../../core/mailboxes/create.ts';
import { purgeExpired } from '../../../core/retention/purge.ts';
import { indexStoredMails } from '../../../jobs/index-mails.ts';
import { catchMail } from '../../support/context/catch.ts';
import { storeDirectly } from '../../support/context/store-directly.ts';
import { service } from '../../support/service.ts';

interface Page {
  messages: { id: string; subject: string; threadId?: string; mailbox?: string; text?: string }[];
  nextCursor: string | null;
  complete?: boolean;
  total?: number;
}

const INVOICE = [
  'From: "Anna Ångström" <anna@shop.example>',
  'To: Bob <bob@client.example>, red@one.test',
  'Cc: accounts@client.example',
  'Subject: Your invoice 2026',
  'Message-ID: <inv-1@shop.example>',
  'X-Team: Blue Team',
  'Reply-To: Billing Desk <desk@shop.example>, other@shop.example',
  'List-Id: Invoices <invoices.shop.example>',
  'Date: Mon, 02 Mar 2026 09:15:00 +0100',
  'MIME-Version: 1.0',
  'Content-Type: multipart/mixed; boundary=b',
  '',
  '--b',
  'Content-Type: text/html; charset=utf-8',
  '',
  '<p>Please pay <b>by Friday</b>.</p><p style="display:none">secret words</p>',
  '--b',
  'Content-Type: application/pdf',
  'Content-Disposition: attachment; filename="Rechnung_März.pdf"',
  '',
  'x'.repeat(3000),
  '--b--',
  '',
].join('\r\n');
const PLAIN = [
  'From: noreply@other.example',
  'To: blue@one.test',
  'Subject: Your code is 482913',
  '',
  'See https://other.example/verify, it expires at 12:30. 確認コード',
].join('\r\n');

describe('search of messages', () => {
  const test = service({ env: { RATE_LIMIT_PRO: '0' } });
  const { api } = test;
  let boxes: { id: string; name: string }[];

  beforeEach(async () => {
    const { context, caller } = test;
    const created = await createMailboxes(context, caller, [
      { name: 'red', labels: { run: 'gh:1' } },
      { name: 'blue' },
    ]);
    boxes = created.map(({ row }) => row);
  });

  const search = async (q: string, rest = '', token?: string) => {
    const path = `/api/messages?q=${encodeURIComponent(q)}${rest}`;
    return (await api.get(path, token).expect(200)).body as Page;
  };
  const subjects = async (q: string) => (await search(q)).messages.map(({ subject }) => subject);

  it('200: finds by every operator, newest first', async () => {
    const { context } = test;
    const start = context.now();
    await test.receive('red', INVOICE, start - 5000);
    await test.receive('blue+Build42', PLAIN, start - 4000);
    const [caughtId = ''] = await catchMail(
      context,
      boxes[0]!.id,
      { caught: ['Customer@gmail.com'] },
      'Subject: caught\r\n\r\nx',
      start - 3000,
    );
    await api.post('/api/mailboxes/blue/messages/claim').send({ timeout: 0 }).expect(200);
    const [invoice] = (await search('invoice')).messages;
    const threadId = String(invoice?.threadId);
    const found = {
      invoice: ['Your invoice 2026'],
      code: ['Your code is 482913'],
      caught: ['caught'],
      your: ['Your code is 482913', 'Your invoice 2026'],
      none: [],
    };
    const queries: [string, keyof typeof found][] = [
      ['invo', 'invoice'],
      ['voice', 'none'],
      ['your', 'your'],
      ['your -code', 'invoice'],
      ['"your invoice"', 'invoice'],
      ['"invoice your"', 'none'],
      ['"pay by friday"', 'invoice'],
      ['secret', 'none'],
      ['ÅNGSTRÖM', 'invoice'],
      ['angstrom', 'none'],
      ['認コ', 'code'],
      ['"12:30"', 'code'],
      ['build42', 'code'],
      ['from:anna@shop.example', 'invoice'],
      ['from:nna@shop.example', 'none'],
      ['from:@shop.example', 'invoice'],
      ['from:@example', 'none'],
      ['from:"anna ångström"', 'invoice'],
      ['from:shop', 'invoice'],
      ['to:bob@client.example', 'invoice'],
      ['to:customer@GMAIL.com', 'caught'],
      ['to:accounts', 'invoice'],
      ['cc:@client.example', 'invoice'],
      ['cc:bob', 'none'],
      ['subject:code', 'code'],
      ['subject:friday', 'none'],
      ['text:friday', 'invoice'],
      ['text:invoice', 'none'],
      ['filename:märz', 'invoice'],
      ['rechnung', 'invoice'],
      ['reply-to:desk@shop.example', 'invoice'],
      ['reply-to:@shop.example', 'invoice'],
      ['reply-to:"billing desk"', 'invoice'],
      ['reply-to:anna', 'none'],
      ['desk', 'none'],
      ['list:Invoices.Shop.example', 'invoice'],
      ['list:invoices', 'none'],
      [`thread:${threadId}`, 'invoice'],
      [`thread:${threadId.slice(0, -1)}`, 'none'],
      ['date:2026-03-02T08:14:59Z', 'invoice'],
      ['date:2026-03-02T08:15:00Z', 'none'],
      ['your -date:2026-03-01', 'code'],
      ['tag:build42', 'code'],
      ['tag:build4', 'none'],
      ['mailbox:BLUE', 'code'],
      ['label:run:gh:1 has:attachment', 'invoice'],
      ['-label:run:gh:1', 'code'],
      ['header:"x-team: blue"', 'invoice'],
      ['header:X-Team:te', 'invoice'],
      ['header:X-Team:eam', 'none'],
      ['header:"X-Team: blue team" larger:1k', 'invoice'],
      ['message-id:inv-1@shop.example', 'invoice'],
      [`id:${caughtId}`, 'caught'],
      ['larger:3000', 'invoice'],
      ['smaller:3k your', 'code'],
      ['has:attachment', 'invoice'],
      ['has:html', 'invoice'],
      ['is:claimed', 'code'],
      ['is:caught', 'caught'],
      [`after:${new Date(start - 4500).toISOString()} -is:caught`, 'code'],
      [`before:${new Date(start - 4000).toISOString()}`, 'invoice'],
      ['before:1h', 'none'],
      ['from:@shop.example has:attachment -subject:draft', 'invoice'],
    ];
    for (const [q, expected] of queries)
      expect(await subjects(q), q).to.deep.equal(found[expected]);
    const [hit] = (await search('code')).messages;
    expect(hit).to.include({ mailbox: 'blue' });
    expect(hit).to.not.have.property('text');
    const all = (await api.get('/api/messages').expect(200)).body as Page;
    expect(all.messages.map(({ mailbox }) => mailbox)).to.deep.equal(['red', 'blue', 'red']);
    expect(await search(' ')).to.deep.equal(all);
  });

  it('200: pages over mailboxes and long gaps in time', async () => {
    const { context } = test;
    const ages = [0, 0, 1, 900, 60_000, 60_001, 5_000_000, 40 * 86_400_000, 400 * 86_400_000];
    const stored: { id: string; age: number }[] = [];
    const now = context.now();
    for (const [n, age] of ages.entries()) {
      const at = now - age;
      const id = await storeDirectly(context, boxes[n % 2]!.id, at, `word ${n}`, `s${n}`);
      stored.push({ id, age });
    }
    stored.sort((a, b) => a.age - b.age || (a.id < b.id ? 1 : -1));
    for (const query of ['', 'q=word&', 'q=s&']) {
      const ids: string[] = [];
      let after = '';
      do {
        const path = `/api/messages?${query}limit=2${after}`;
        const { messages, nextCursor } = (await api.get(path).expect(200)).body as Page;
        ids.push(...messages.map(({ id }) => id));
        after = nextCursor === null ? '' : `&after=${nextCursor}`;
      } while (after !== '');
      expect(ids, query).to.deep.equal(stored.map(({ id }) => id));
    }
  });

  it('200: in one mailbox, with its other parameters', async () => {
    const { context } = test;
    const red = boxes[0]!.id;
    const at = context.now() - 10_000;
    for (const n of [1, 2, 3]) await storeDirectly(context, red, at + n, `word ${n}`, `s${n}`);
    await storeDirectly(context, boxes[1]!.id, at, 'word 4', 's4');
    const list = async (query: string) =>
      (await api.get(`/api/mailboxes/red/messages?${query}`).expect(200)).body as Page;
    const page = await list('q=word&limit=2');
    expect(page.messages.map(({ text }) => text)).to.deep.equal(['word 3', 'word 2']);
    expect(page).to.include({ total: 3, complete: true });
    const rest = await list(`q=word&limit=2&view=summary&after=${page.nextCursor!}`);
    expect(rest.messages.map(({ subject }) => subject)).to.deep.equal(['s1']);
    expect(rest.nextCursor).to.equal(null);
    const since = new Date(at + 1).toISOString();
    expect((await list(`q=subject:s&since=${since}`)).messages).to.have.length(2);
    expect((await list('q=word&claimed=true')).messages).to.have.length(0);
    expect((await list('q=word&to=box@one.test')).messages).to.have.length(0);
    expect((await list('q=s2')).messages.map(({ subject }) => subject)).to.deep.equal(['s2']);
    const whole = await list('q=');
    expect(whole).to.not.have.property('complete');
    expect(whole.messages).to.have.length(3);
    await api.get('/api/mailboxes/none/messages?q=word').expect(404);
  });

  it('200: finds no message that is deleted, cleared or expired, nor of a mailbox that is', async () => {
    const { context } = test;
    const [red, blue] = boxes;
    const now = context.now();
    const deleted = await storeDirectly(context, red!.id, now, 'word', 'deleted');
    await storeDirectly(context, red!.id, now, 'word', 'cleared');
    await storeDirectly(context, blue!.id, now, 'word', 'of a mailbox');
    expect(await subjects('word')).to.have.length(3);
    await api.delete(`/api/mailboxes/red/messages/${deleted}`).expect(204);
    expect(await subjects('word')).to.have.members(['cleared', 'of a mailbox']);
    await api.delete('/api/mailboxes/red/messages').expect(200);
    expect(await subjects('word')).to.deep.equal(['of a mailbox']);
    await api.patch('/api/mailboxes/blue').send({ expiresIn: 60 }).expect(200);
    test.advance(60_000);
    expect(await subjects('word')).to.deep.equal([]);
    await storeDirectly(context, red!.id, context.now(), 'word', 'expired');
    expect(await subjects('word')).to.deep.equal(['expired']);
    test.advance(86_400_000);
    expect(await subjects('word')).to.deep.equal([]);
    await purgeExpired(context);
    expect(await subjects('')).to.deep.equal([]);
  });

  it('200: only mailboxes of the workspace and of a narrow token', async () => {
    const { context } = test;
    const now = context.now();
    for (const { id, name } of boxes) await storeDirectly(context, id, now, 'word', name);
    expect((await search('word', '', await test.stranger())).messages).to.deep.equal([]);
    for (const [mailboxes, expected] of [
      [['blue'], ['blue']],
      [['run:gh:1'], ['red']],
      [['run:none'], []],
    ]) {
      const value = await test.token('reader', mailboxes ?? []);
      for (const q of ['word', '', 'mailbox:red word', 'mailbox:blue']) {
        const found = (await search(q, '', value)).messages.map(({ mailbox }) => mailbox ?? '');
        expect(expected).to.include.members(found);
      }
      expect((await search('word', '', value)).messages).to.have.length(expected!.length);
    }
  });

  it('200: pages of narrow tokens are exact, for few mailboxes and for many', async () => {
    const { context, caller } = test;
    const now = context.now();
    const names = (label: string, count: number) =>
      Array.from({ length: count }, (_, n) => ({
        name: `${label}-${n}`,
        labels: { run: label, part: n < 3 ? 'first' : 'other' },
      }));
    const rows = [];
    for (const some of [names('many', 60), names('more', 60), names('few', 40)]) {
      rows.push(...(await createMailboxes(context, caller, some)).map(({ row }) => row));
    }
    const stored: { id: string; at: number; mailbox: string }[] = [];
    for (let n = 0; n < 400; n += 1) {
      const { id, name } = rows[(n * 7) % rows.length]!;
      const at = now - Math.floor(n / 3) * 977;
      const messageId = await storeDirectly(context, id, at, 'word', 's');
      stored.push({ id: messageId, at, mailbox: name });
    }
    stored.sort((a, b) => b.at - a.at || (a.id < b.id ? 1 : -1));
    await api.delete('/api/mailboxes/few-2').expect(204);
    await api.patch('/api/mailboxes/many-2').send({ expiresIn: 60 }).expect(200);
    test.advance(60_000);
    const isLive = (name: string) => name !== 'few-2' && name !== 'many-2';
    for (const [scope, q, isWanted] of [
      [null, '', () => true],
      [['run:few'], '', (name: string) => name.startsWith('few')],
      [['run:many', 'run:more'], '', (name: string) => !name.startsWith('few')],
      [['run:more', 'few-1'], 'word', (name: string) => /^more|^few-1$/.test(name)],
      [['run:many', 'run:more'], 'label:part:first', (name: string) => /^m.*-[012]$/.test(name)],
      [null, 'label:run:many label:part:first', (name: string) => /^many-[012]$/.test(name)],
      [['few-0', 'few-1', 'none'], 'mailbox:FEW-1', (name: string) => name === 'few-1'],
      [['run:none'], 'word', () => false],
    ] as const) {
      const token = await test.token('reader', scope === null ? null : [...scope]);
      const ids: string[] = [];
      let after = '';
      do {
        const page = await search(q, `&limit=17${after}`, token);
        expect(page.complete).to.equal(true);
        ids.push(...page.messages.map(({ id }) => id));
        after = page.nextCursor === null ? '' : `&after=${page.nextCursor}`;
      } while (after !== '');
      const wanted = stored.filter(({ mailbox }) => isLive(mailbox) && isWanted(mailbox));
      expect(ids, `${scope?.join()} ${q}`).to.deep.equal(wanted.map(({ id }) => id));
    }
  });

  it('400: names the position of a fault', async () => {
    for (const path of ['/api/messages', '/api/mailboxes/red/messages']) {
      const { body } = await api.get(`${path}?q=a%20foo:1`).expect(400);
      expect(body).to.include({ code: 'invalid_request' });
      expect((body as { details: unknown }).details).to.deep.equal([{ position: 2 }]);
      await api.get(`${path}?q=a&after=x`).expect(400);
    }
  });

  it('finds mail whose sender repeats characters before one that needs quotes', async () => {
    // Where time doubles with each character, 60 would hold the run for good.
    const address = `"${'a'.repeat(30)}("@x.test`;
    const id = await test.receive('red', `From: <${address}>\r\nSubject: x\r\n\r\n`);
    await test.work(indexStoredMails);
    const { messages } = await search(`from:${address.replaceAll('"', '')}`);
    expect(messages.map((message) => message.id)).to.deep.equal([id]);
  }).timeout(20_000);
});
