/** Stored mail that is not small is read in child processes, by every call. */
import { expect } from 'chai';
import supertest from 'supertest';
import { TASKS } from '../../../core/reading-tasks.ts';
import type { ParsePool } from '../../../core/mime/parser-pool.ts';
import type { Task } from '../../../core/mime/task.ts';
import { eventually } from '../../support/mocha/eventually.ts';
import { service } from '../../support/service.ts';

const LINE = '<p style="color:red">code 123456 <a href="https://x.test/verify">verify</a></p>\n';
const HTML = `<img src="cid:p@x">${LINE.repeat(2500)}`;
const TEXT = 'A line with the code 123456.\n'.repeat(2000);
const PICTURE = `Content-Type: image/png\nContent-ID: <p@x>\nContent-Transfer-Encoding: base64\n\n${'AAAA'.repeat(50)}`;
const FILE = `Content-Type: text/plain; charset=iso-2022-jp\nContent-Disposition: attachment; filename=a\n\n${'x\n'.repeat(50_000)}`;
const HEADER = Array.from({ length: 1000 }, (_, n) => `X-${n}: =?utf-8?q?=C3=A4?=`);
const MAIL = { html: HTML, text: TEXT, from: 'Ann <other@one.test>', header: HEADER };

describe('large mail for requests', () => {
  const test = service({ mailboxes: ['box', 'other'], env: { RATE_LIMIT_PRO: '0' } });
  const { api } = test;
  const originals = TASKS.map((task) => ({ task, run: task.run }));
  afterEach(() => {
    for (const { task, run } of originals) Object.assign(task, { run });
  });

  /** Notes the tasks with an input that is not small, by where they run. */
  const watch = () => {
    const here: string[] = [];
    const inChildren: string[] = [];
    for (const { task, run } of originals) {
      const probed = (input: never) => {
        if (isLarge(task, input)) here.push(task.name);
        return run(input);
      };
      Object.assign(task, { run: probed });
    }
    const { parsePool } = test.context.ingest;
    const { run } = parsePool;
    const inChild: ParsePool['run'] = (task, input) => {
      if (isLarge(task, input)) inChildren.push(task.name);
      return run(task, input);
    };
    parsePool.run = inChild;
    return { here, inChildren };
  };

  it('is read in child processes, by every call', async () => {
    const id = await test.receive('box', { ...MAIL, parts: [PICTURE, FILE] });
    const second = await test.receive('box', { ...MAIL, parts: [PICTURE, FILE] });
    const { here, inChildren } = watch();
    const path = `/api/mailboxes/box/messages/${id}`;
    const list = '/api/mailboxes/box/messages';
    const call = (name: string, args: object) => {
      const asked = { name, arguments: { mailbox: 'box', ...args } };
      const request = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: asked };
      return api.post('/mcp').set('Accept', 'application/json, text/event-stream').send(request);
    };
    const compat = (rest: string) =>
      supertest(api.app).get(`/compat/${rest}`).auth('box@one.test', test.workspace.token);
    const forward = { kind: 'forward', to: ['other@one.test'], html: '<p>x' };
    const sent = { to: ['other@one.test'], subject: 'x', text: 'x'.repeat(600_000) };
    let file = '';
    const json = async () => {
      const answer = await api.get(path);
      file = (answer.body as { attachments: { id: string }[] }).attachments[1]?.id ?? '';
      return answer;
    };

    /** Each call, with the tasks of children. Later ones have what earlier ones left in caches. */
    const calls: [what: string, ask: () => PromiseLike<{ status: number }>, tasks: string[]][] = [
      ['extracted', () => api.get(`${path}/extracted`), ['extractMail']],
      [
        'wait hasCode',
        () => api.get(`${list}/wait?hasCode=true&timeout=0`),
        ['extractMail', 'jsonBytes'],
      ],
      ['wait text', () => api.get(`${list}/wait?text=unheard&timeout=0`), ['foundInBodies']],
      ['JSON', json, ['jsonBytes']],
      ['JSON of a list', () => api.get(`${list}?limit=100`), ['jsonBytes']],
      ['search', () => api.get(`${list}?q=unheard`), ['foundInBodies']],
      ['html', () => api.get(`${path}/html`), ['htmlPage', 'shownPictures']],
      ['text', () => api.get(`${path}/text`), ['bodyText']],
      ['headers', () => api.get(`${path}/headers`), ['headersJson']],
      ['parts', () => api.get(`${path}/parts`), ['partTreeJson']],
      ['text of a file', () => api.get(`${path}/attachments/${file}/text`), ['fileText']],
      ['diff', () => api.get(`${path}/diff?with=${second}`), ['diffJson']],
      [
        'reply',
        () => api.post(`${path}/reply`).send({ kind: 'reply', html: '<p>x' }),
        ['quotedBody'],
      ],
      ['forward', () => api.post(`${path}/reply`).send(forward), ['quotedBody']],
      ['send', () => api.post(list).send(sent), ['composedMail']],
      ['MCP get_message', () => call('get_message', { id }), ['bodyPortion']],
      ['MCP attachment', () => call('get_message', { id, attachment: 2 }), ['filePortion']],
      ['MCP wait_for_code', () => call('wait_for_code', { timeout: 0 }), ['extractMail']],
      [
        'Mailpit message',
        () => compat(`mailpit/api/v1/message/${id}`),
        ['firstValues', 'jsonBytes', 'linkedBodyText'],
      ],
      ['Mailpit headers', () => compat(`mailpit/api/v1/message/${id}/headers`), ['headersJson']],
      ['Mailpit html', () => compat(`mailpit/view/${id}.html`), ['htmlPage', 'shownPictures']],
      ['Mailpit text', () => compat(`mailpit/view/${id}.txt`), ['linkedBodyText']],
      ['MailHog message', () => compat(`mailhog/api/v1/messages/${id}`), ['mailhogJson']],
      ['MailHog page', () => compat('mailhog/api/v2/messages'), ['mailhogJson']],
    ];
    for (const [what, ask, tasks] of calls) {
      inChildren.length = 0;
      expect((await ask()).status, what).to.be.within(200, 201);
      expect([...new Set(inChildren)].sort(), what).to.deep.equal(tasks);
    }
    expect(here).to.deep.equal([]);
  });

  it('does not delay the requests of others while it waits', async () => {
    const stranger = await test.stranger();
    await api.post('/api/mailboxes', stranger).send({ name: 'box' }).expect(201);
    const large = await test.receive('box', MAIL);
    const small = await test.receive('box@other1.test', { html: '<p>small' });
    const { parsePool } = test.context.ingest;
    const { run } = parsePool;
    let begun = 0;
    let goOn = () => {};
    const held = new Promise<void>((resolve) => (goOn = resolve));
    const hold: ParsePool['run'] = async (task, input) => {
      begun += 1;
      await held;
      return run(task, input);
    };
    parsePool.run = hold;
    let waiting = 0;
    const { inTurn } = test.context.ingest.reading;
    test.context.ingest.reading.inTurn = (...args) => {
      waiting += 1;
      return inTurn(...args);
    };
    const done: string[] = [];
    const view = async (name: string, id: string, token?: string) => {
      await api.get(`/api/mailboxes/box/messages/${id}/html`, token).expect(200);
      done.push(name);
    };
    const views = Array.from({ length: 8 }, () => view('large', large));
    await eventually('all views to wait', () => waiting === 8 && begun === 2);
    await view('small', small, stranger);
    await api.get(`/api/mailboxes/box/messages/${small}`, stranger).expect(200);
    expect(done).to.deep.equal(['small']);
    goOn();
    await Promise.all(views);
    expect(done.length).to.equal(9);
  });

  it('that takes too long is refused, without effect on other requests', async () => {
    await test.reopen({ PARSE_TIMEOUT_MS: '1' });
    const path = `/api/mailboxes/box/messages/${await test.receive('box', { html: '<p>a'.repeat(100_000) })}`;
    const { body } = await api.get(`${path}/text`).expect(503);
    expect(body).to.have.property('code', 'unavailable');
    expect(body).to.have.property('error').that.contains('too much time');
    await api.get(`${path}/raw`).expect(200);
    const small = await test.receive('box', 'Subject: small\r\n\r\nsmall');
    await api.get(`/api/mailboxes/box/messages/${small}/text`).expect(200);
  });
});

/** Whether a child gets it. */
function isLarge<Input>({ sizeOf, inlineSize }: Task<Input, unknown>, input: Input): boolean {
  return sizeOf(input) > inlineSize;
}
