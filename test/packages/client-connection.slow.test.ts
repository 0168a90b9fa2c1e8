import { monitorEventLoopDelay } from 'node:perf_hooks';
import { expect } from 'chai';
import { MayflyError, MayflySignatureError, createClient, verifyWebhook } from '@mayfly/client';
import { readContract } from '../../api/contract/contract.ts';
import { signatureHeaders } from '../../core/webhooks/signature.ts';
import { runNode } from '../support/process/command.ts';
import { rejection } from '../support/mocha/rejection.ts';
import { type Receiver, openReceiver } from '../support/servers/receiver.ts';

/** The version of the contract that the client is written for. */
const OWN = readContract().info.version;
const MARK = { mark: 'MS4' };

/** Time passes faster for its timers of a second and more, and garbage is collected often. */
const UNANSWERED = `
const timer = setTimeout;
globalThis.setTimeout = (work, ms, ...args) => timer(work, ms >= 1000 ? ms / 100 : ms, ...args);
const collecting = setInterval(gc, 10);
const { createClient } = await import('@mayfly/client');
const mayfly = createClient();
const inbox = mayfly.inbox('hello');
const enough = new AbortController();
const { signal } = enough;
// The second stream is answered once the first one has been silent for too long.
const { fetch } = globalThis;
let streams = 0;
globalThis.fetch = async (request, ...rest) => {
  const response = await fetch(request, ...rest);
  if (request.url.endsWith('/events') && (streams += 1) === 2) enough.abort(new Error('Enough.'));
  return response;
};
const reasonOf = (work) => work.then(() => 'resolved', ({ message }) => message.replace(/[^]* (?:answered|request): /, ''));
const streamed = async () => {
  for await (const event of inbox.events({ signal })) return event;
  return 'ended';
};
const works = {
  wait: inbox.wait({ timeout: 2 }),
  claim: inbox.claim({ timeout: 2 }),
  mark: inbox.mark(),
  halfOfABody: mayfly.inbox('half').mark(),
  aborted: inbox.wait({ timeout: 3600, signal }),
};
const reasons = Object.entries(works).map(async ([name, work]) => [name, await reasonOf(work)]);
const stream = await streamed();
console.log(JSON.stringify({ ...Object.fromEntries(await Promise.all(reasons)), stream }));
process.exit();
`;

/** Its pauses are added up, not made. */
const SENT = `
const timer = setTimeout;
let pausedMs = 0;
globalThis.setTimeout = (work, ms, ...args) => {
  if (ms < 10_000) pausedMs += ms;
  return timer(work, ms < 10_000 ? 0 : ms, ...args);
};
const { createClient } = await import('@mayfly/client');
const { messageId } = await createClient().inbox('hello').send({ to: ['a@one.test'], subject: 's' });
console.log(JSON.stringify({ messageId, pausedMs }));
process.exit();
`;

/** The second service is elsewhere; its request is not repeated. */
const PROXIED = `
const { createClient } = await import('@mayfly/client');
const elsewhere = createClient({ url: 'http://mail.test' });
console.log(await createClient().inbox('hello').mark());
console.log(await elsewhere.api.POST('/api/tokens', { body: { name: 'ci' } }).catch(String));
process.exit();
`;

describe('the connection of @mayfly/client', () => {
  let receiver: Receiver;
  let requests: () => Receiver['received'];

  beforeEach(async () => {
    receiver = await openReceiver();
    requests = () => receiver.received;
  });
  afterEach(() => receiver.close());

  const client = () => createClient({ url: new URL(receiver.url).origin, token: 'mf_x' });
  const answerJson = (status: number, body: object, headers: Record<string, string> = {}) => {
    receiver.answer((_req, res) => {
      res.writeHead(status, { 'content-type': 'application/json', ...headers });
      res.end(JSON.stringify(body));
    });
  };

  for (const status of [429, 503]) {
    it(`repeats a request after ${status}, not before Retry-After has passed`, async () => {
      receiver.answer((_req, res, { path }) => {
        const isSecond = receiver.received.filter((one) => one.path === path).length === 2;
        const head = { 'content-type': 'application/json', 'retry-after': '1' };
        res.writeHead(isSecond ? 200 : status, head);
        res.end(JSON.stringify(isSecond ? MARK : { error: 'later', code: 'x' }));
      });
      expect(await client().inbox('hello').mark()).to.equal('MS4');
      const [first, second] = requests();
      expect((second?.at ?? 0) - (first?.at ?? 0)).to.be.above(990);
    });
  }

  it('repeats a POST after a broken connection with the same Idempotency-Key', async () => {
    receiver.answer((_req, res) => {
      if (requests().length < 3) res.destroy();
      else res.writeHead(201, { 'content-type': 'application/json' }).end('{"messageId":"msg_1"}');
    });
    const sent = await client()
      .inbox('hello')
      .send({ to: ['a@one.test'], subject: 's' });
    expect(sent).to.deep.equal({ messageId: 'msg_1' });
    const keys = requests().map(({ headers }) => headers['idempotency-key']);
    expect(keys).to.have.length(3);
    expect(new Set(keys)).to.have.property('size', 1);
    expect(requests()[2]?.body.toString()).to.equal('{"to":["a@one.test"],"subject":"s"}');
  });

  for (const how of ['a broken connection', '503']) {
    it(`takes 404 of a DELETE that is repeated after ${how} for success`, async () => {
      let isRepeat = false;
      receiver.answer((_req, res) => {
        if (isRepeat) {
          res.writeHead(404, { 'content-type': 'application/json' });
          res.end('{"error":"No such mailbox.","code":"not_found"}');
        } else if (how === '503') res.writeHead(503).end();
        else res.destroy();
        isRepeat = true;
      });
      await client().inbox('hello').delete();
      expect(requests()).to.have.length(2);
      const again = client().inbox('hello').delete();
      expect(await rejection(again)).to.include({ status: 404, code: 'not_found' });
    });
  }

  it('repeats no POST after a broken connection that the service cannot recognize', async () => {
    receiver.answer((_req, res) => void res.destroy());
    const made = client().api.POST('/api/tokens', { body: { name: 'ci' } });
    expect(await rejection(made)).to.include({ status: 0, code: 'unavailable' });
    expect(requests()).to.have.length(1);
  });

  it('waits while the first request with the key runs', async () => {
    receiver.answer((_req, res) => {
      const isFirst = requests().length === 1;
      res.writeHead(isFirst ? 409 : 200, { 'content-type': 'application/json' });
      res.end(JSON.stringify(isFirst ? { code: 'request_running' } : { name: 'n', id: 'mbx_1' }));
    });
    expect((await client().mailboxes.create()).name).to.equal('n');
  });

  it('waits longer than other errors for a request whose process has died', async () => {
    receiver.answer((_req, res) => {
      const isRunning = requests().length <= 8;
      res.writeHead(isRunning ? 409 : 201, { 'content-type': 'application/json' });
      res.end(JSON.stringify(isRunning ? { code: 'request_running' } : { messageId: 'msg_1' }));
    });
    const { stdout } = await runNode(['--input-type=module', '-e', SENT], {
      MAYFLY_URL: new URL(receiver.url).origin,
      MAYFLY_TOKEN: 'mf_x',
    });
    const { messageId, pausedMs } = JSON.parse(stdout) as { messageId: string; pausedMs: number };
    expect(messageId).to.equal('msg_1');
    // The service takes an unfinished request for a running one for 15 s.
    expect(pausedMs).to.be.above(12_000);
  });

  it('uses a proxy of the environment, but not for this machine', async () => {
    answerJson(200, MARK);
    const { stdout } = await runNode(['--input-type=module', '-e', PROXIED], {
      MAYFLY_URL: new URL(receiver.url).origin,
      MAYFLY_TOKEN: 'mf_x',
      NODE_USE_ENV_PROXY: '1',
      HTTP_PROXY: 'http://127.0.0.1:9',
    });
    expect(stdout.split('\n')[0]).to.equal('MS4');
    expect(stdout).to.include(
      'cannot be reached: connect ECONNREFUSED 127.0.0.1:9. It is the proxy of the environment: check HTTP_PROXY',
    );
  });

  it('gives up after five repeats', async () => {
    answerJson(503, { error: 'The database is away.', code: 'unavailable' });
    const error = await rejection(client().inbox('hello').mark());
    expect(error).to.be.instanceOf(MayflyError);
    expect(error).to.include({ status: 503, message: 'The database is away.' });
    expect(requests()).to.have.length(6);
  });

  it('reports an error that is not JSON, and repeats nothing else', async () => {
    const { origin } = new URL(receiver.url);
    for (const [status, body, told] of [
      [404, '<!DOCTYPE html>\n<pre>Cannot POST', 'with HTML and is not Mayfly: check MAYFLY_URL.'],
      [502, 'Bad gateway', 'with text and is not Mayfly: Mayfly behind it may be down, or'],
    ] as const) {
      receiver.answer((_req, res) => res.writeHead(status).end(body));
      const error = await rejection(client().inbox('hello').mark());
      expect(error).to.include({ status, code: 'not_json' });
      expect((error as Error).message).to.include(`${origin} answers ${status} ${told}`);
    }
    expect(requests()).to.have.length(2);
  });

  it('does not pause beyond the timeout of a wait', async () => {
    answerJson(429, { error: 'Too many requests.', code: 'rate_limited' }, { 'retry-after': '60' });
    const waiting = client().inbox('hello').wait({ timeout: 1 });
    expect(await rejection(waiting)).to.include({ status: 429, code: 'rate_limited' });
    expect(requests()).to.have.length(1);
  });

  it('ends what the service does not answer, whatever is collected meanwhile', async () => {
    receiver.answer((_req, res, { path }) => {
      if (path.includes('/half/')) res.writeHead(200, { 'content-type': 'application/json' });
      if (path.includes('/half/')) res.write('{"mark":');
      if (path.endsWith('/events')) res.writeHead(200, { 'content-type': 'text/event-stream' });
      if (path.endsWith('/events')) res.write(': hello\n\n');
    });
    const { stdout } = await runNode(['--expose-gc', '--input-type=module', '-e', UNANSWERED], {
      MAYFLY_URL: new URL(receiver.url).origin,
      MAYFLY_TOKEN: 'mf_x',
    });
    const { wait, claim, ...others } = JSON.parse(stdout) as Record<string, string>;
    // The last attempt has the rest of the 17 s, which is little on a busy machine.
    for (const reason of [wait, claim]) {
      const [, seconds] = /^no response within (\d+(?:\.\d)?) s\.$/.exec(reason ?? '') ?? [];
      expect(Number(seconds), reason).to.be.within(0, 17);
    }
    expect(others).to.deep.equal({
      mark: 'no response within 70 s',
      halfOfABody: 'no response within 70 s',
      aborted: 'Enough.',
      stream: 'ended',
    });
    const streams = requests().filter(({ path }) => path.endsWith('/events'));
    expect(streams).to.have.length.above(1);
  });

  describe('in a test that ends', function () {
    // The client keeps 200 ms for its end, of which a busy machine can take all.
    this.retries(3);
    const KEY = Symbol.for('@mayfly/client running test');
    const globals = globalThis as { [KEY]?: { endsAt: () => number } };
    const TEST_MS = 2400;
    let runner: NodeJS.Timeout;
    let hasEnded: boolean;
    const loop = monitorEventLoopDelay({ resolution: 10 });
    const setEnd = (ms: number) => {
      const endsAt = Date.now() + ms;
      globals[KEY] = { endsAt: () => endsAt };
      hasEnded = false;
      clearTimeout(runner);
      runner = setTimeout(() => (hasEnded = true), ms);
    };
    beforeEach(() => {
      setEnd(TEST_MS);
      loop.reset();
      loop.enable();
    });
    afterEach(() => {
      clearTimeout(runner);
      loop.disable();
      Reflect.deleteProperty(globals, KEY);
      // Hooks are not repeated. A process that did not run for most of the 200 ms is late.
      if (loop.max < 100_000_000) expect(hasEnded).to.equal(false);
    });
    const ENDS = /no response within [\d.]+ s; the test ends: raise its timeout/;

    it('a wait tells what it knows if the last response is late', async () => {
      const nearest = [{ messageId: 'msg_0', subject: 'Welcome', failed: ['subject'] }];
      const ended = { outcome: 'timeout', mark: 'M', messages: [], settled: true };
      receiver.answer((_req, res, { path }) => {
        if (!path.includes('/wait') || path.includes('mark=')) return;
        res.writeHead(200, { 'content-type': 'application/json' });
        res.end(JSON.stringify({ ...ended, unmatched: { count: 3, nearest } }));
      });
      const error = await rejection(client().inbox('hello').wait({ subject: 'Invoice' }));
      expect(error).to.include({ name: 'MayflyTimeout', unmatched: 3, isAnswered: false });
      const lines = (error as Error).message.split('\n');
      expect(lines[0]).to.equal('3 messages for hello');
      expect(lines[1]).to.match(/^No message with subject "Invoice" within \d\.\d s\.$/);
      expect(lines[2])
        .to.match(/^Mayfly has not answered the last request: /)
        .and.match(ENDS);
      expect(lines.slice(3)).to.deep.equal(['The nearest:', '  msg_0 "Welcome" fails: subject']);
    });

    it('a wait names the address of a mailbox that was created', async () => {
      receiver.answer((req, res) => {
        if (req.method !== 'POST') return;
        res.writeHead(201, { 'content-type': 'application/json' });
        res.end(JSON.stringify({ name: 'hello', address: 'hello@one.test' }));
      });
      const error = await rejection((await client().mailboxes.create()).wait());
      expect((error as Error).message).to.match(/^Unknown number of messages for hello@one.test\n/);
    });

    for (const [testMs, lateMs] of [
      [2600, 450],
      [4600, 900],
    ] as const) {
      it(`a wait of ${testMs} ms names the address and other mailboxes if responses take ${lateMs} ms`, async () => {
        setEnd(testMs);
        const unmatched = { count: 0, nearest: [] };
        const ended = { outcome: 'timeout', mark: 'M', messages: [], settled: true, unmatched };
        const createdAt = new Date().toISOString();
        receiver.answer((_req, res, { path }) => {
          const asked = new URL(path, 'http://one.test');
          const answer = path.startsWith('/api/messages/wait')
            ? { ...ended, messages: [{ id: 'msg_1', mailbox: 'other', subject: 'Your code' }] }
            : path.includes('/wait')
              ? ended
              : { name: 'hello', address: 'hello@one.test', createdAt, messageCount: 0 };
          const waits = Number(asked.searchParams.get('timeout')) * 1000;
          const late = path.includes('/wait') ? lateMs : 250;
          setTimeout(() => {
            res.writeHead(200, { 'content-type': 'application/json' });
            res.end(JSON.stringify(answer));
          }, waits + late).unref();
        });
        const error = await rejection(client().inbox('hello').waitForCode());
        const lines = (error as Error).message.split('\n');
        expect(lines[0]).to.equal('0 messages for hello@one.test');
        expect(lines.at(-1)).to.equal(
          '1 message that matches arrived in other mailboxes, perhaps of other tests, meanwhile or in the minute before: other@one.test (subject "Your code")',
        );
      });
    }

    it('calls end before it without a response', async () => {
      receiver.answer(() => undefined);
      const inbox = client().inbox('hello');
      const works = [
        inbox.waitForCode({ timeout: 60 }),
        inbox.claim(),
        inbox.expectNone({ within: 1 }),
        inbox.mark(),
        client().mailboxes.create(),
      ];
      const [code, claim, none, ...others] = await Promise.all(works.map(rejection));
      for (const error of [code, claim]) {
        expect(error).to.include({ name: 'MayflyTimeout', unmatched: null, isAnswered: false });
        expect((error as Error).message).to.match(/^Unknown number of messages for hello\n/);
      }
      expect(none).to.include({ name: 'MayflyError', code: 'unsettled' });
      for (const error of others) expect(error).to.include({ status: 0, code: 'unavailable' });
      for (const error of [code, claim, none, ...others])
        expect((error as Error).message)
          .to.match(ENDS)
          .and.not.include('cannot be reached');
    });
  });

  it('asks in a repeat for the time that is left', async () => {
    receiver.answer((_req, res) => {
      const isFirst = requests().length === 1;
      const head = { 'content-type': 'application/json', 'retry-after': '2' };
      res.writeHead(isFirst ? 503 : 200, head);
      const unmatched = { count: 0, nearest: [] };
      const ended = { outcome: 'timeout', mark: 'M', messages: [], settled: true, unmatched };
      res.end(JSON.stringify(isFirst ? { error: 'later', code: 'x' } : ended));
    });
    await rejection(client().inbox('hello').wait({ timeout: 3, subject: 'timeout=9' }));
    const asked = requests().map(({ path }) => /[?&]timeout=(\d+)/.exec(path)?.[1]);
    expect(asked.slice(0, 2)).to.deep.equal(['3', '1']);
    expect(requests()[1]?.path).to.include('subject=timeout%3D9');
  });

  for (const status of [301, 302, 303, 307, 308]) {
    it(`refuses a redirect with ${status}, and says what to set`, async () => {
      const location = 'https://mail.test/mayfly/api/mailboxes/hello/messages';
      receiver.answer((_req, res) => res.writeHead(status, { location }).end());
      const inbox = client().inbox('hello');
      for (const work of [
        () => client().mailboxes.create(),
        () => inbox.send({ to: ['a@b.test'], subject: 's' }),
        () => inbox.raw('msg_1'),
        () => inbox.wait({ timeout: 5 }),
        () => inbox.events().next(),
      ]) {
        const error = await rejection(work());
        expect(error).to.be.instanceOf(MayflyError).and.to.include({ status, code: 'redirected' });
        expect((error as Error).message).to.include(
          ` redirects to ${location} (status ${status}).`,
        );
        expect((error as Error).message).to.include('Set MAYFLY_URL to https://mail.test/mayfly.');
      }
      expect(requests()).to.have.length(5);
    });
  }

  it('refuses a redirect that names no other service', async () => {
    for (const headers of [
      {},
      { location: '/api/mailboxes/hello/mark/' },
      { location: '/login' },
    ]) {
      receiver.answer((_req, res) => res.writeHead(302, headers).end('Found'));
      const error = await rejection(client().inbox('hello').mark());
      expect((error as Error).message).to.include('the address that answers without a redirect.');
    }
  });

  it('refuses names and ids that name another resource, and a time that is no number', async () => {
    const mayfly = client();
    for (const part of ['', '.', '..']) {
      expect(() => mayfly.inbox(part), part).to.throw(TypeError, 'must not be empty');
      for (const work of [
        mayfly.inbox('hello').read(part),
        mayfly.inbox('hello').raw(part),
        mayfly.mailboxes.get(part),
        mayfly.mailboxes.delete(part),
      ])
        expect(await rejection(work), part).to.be.instanceOf(TypeError);
    }
    const inbox = mayfly.inbox('hello');
    for (const work of [
      inbox.wait({ timeout: NaN }),
      inbox.claim({ timeout: NaN }),
      inbox.expectNone({ within: NaN }),
    ])
      expect(await rejection(work))
        .to.have.property('message')
        .that.matches(/^(?:timeout|within) is a number of seconds, not NaN\.$/);
    expect(requests()).to.have.length(0);
  });

  it('refuses a URL that is not of HTTP, and a token that a header cannot have', () => {
    const wrong = ['localhost:3000', 'ftp://localhost', 'http://', '/api', 'http://u:p@localhost'];
    for (const url of [...wrong, 'http://localhost?x=1', 'http://localhost#x'])
      expect(() => createClient({ url, token: 'mf_x' }), url).to.throw(
        TypeError,
        'must begin with http:// or https://',
      );
    for (const token of ['mf_a\nb', 'mf_ü', 'mf a'])
      expect(() => createClient({ token }), token).to.throw(TypeError, 'The API token has');
    expect(() => createClient({ url: '', token: 'mf_x' })).to.not.throw();
  });

  for (const body of ['<h1>', '']) {
    it(`reports what is not JSON: "${body}"`, async () => {
      receiver.answer((_req, res) =>
        res.writeHead(200, { 'content-type': 'application/json' }).end(body),
      );
      const error = await rejection(client().inbox('hello').mark());
      expect(error).to.be.instanceOf(MayflyError).and.to.include({ status: 200, code: 'not_json' });
      expect((error as Error).message).to.include('Check the URL.');
    });
  }

  it('reports an empty response where JSON is expected', async () => {
    receiver.answer(204);
    const error = await rejection(client().inbox('hello').mark());
    expect(error).to.include({ status: 204, code: 'not_json' });
  });

  it('reports what is not a stream of events', async () => {
    receiver.answer((_req, res) => {
      if (requests().length === 1) res.writeHead(200, { 'content-type': 'text/html' }).end('<h1>');
      else res.writeHead(204).end();
    });
    for (const status of [200, 204]) {
      const error = await rejection(client().inbox('hello').events().next());
      expect(error).to.include({ status, code: 'not_a_stream' });
    }
    expect(requests()).to.have.length(2);
  });

  it('repeats a request whose response was cut off', async () => {
    receiver.answer((_req, res) => {
      res.writeHead(200, { 'content-type': 'application/json', 'content-length': '14' });
      if (requests().length > 1) res.end('{"mark":"MS4"}');
      else res.write('{"mark":', () => res.destroy());
    });
    expect(await client().inbox('hello').mark()).to.equal('MS4');
    expect(requests()).to.have.length(2);
  });

  const refusals: [string, number, object, Record<string, string>][] = [
    ['unsupported', 404, { error: 'No endpoint at /x.', code: 'not_found' }, {}],
    ['unsupported', 404, { error: 'No endpoint at /x.' }, { 'mayfly-version': '0.0.9' }],
    ['unsupported', 405, { error: 'GET method not allowed.', code: 'not_found' }, {}],
    ['unknown', 405, { error: 'Of a proxy.' }, {}],
    ['unsupported', 400, { error: 'Unknown query parameter "count".' }, {}],
    ['not_found', 404, { error: 'No such mailbox: "hello".', code: 'not_found' }, {}],
    [
      'not_found',
      404,
      { error: 'No endpoint at /x.', code: 'not_found' },
      { 'mayfly-version': OWN },
    ],
    [
      'not_found',
      404,
      { error: 'No endpoint at /x.', code: 'not_found' },
      { 'mayfly-version': '99.0.0' },
    ],
  ];
  for (const [code, status, body, headers] of refusals) {
    const version = headers['mayfly-version'] ?? 'no version';
    it(`reports ${code} after ${status} of ${version}: ${JSON.stringify(body)}`, async () => {
      answerJson(status, body, headers);
      const error = await rejection(client().inbox('hello').mark());
      expect(error).to.be.instanceOf(MayflyError).and.to.include({ status, code });
      expect(requests()).to.have.length(1);
    });
  }

  it('chains the requests of a long wait by the mark', async () => {
    const waits = (
      query: URLSearchParams,
      outcome: string,
      mark: string,
      messages: object[] = [],
    ) => {
      const nearest = [{ messageId: 'msg_0', subject: 'Welcome', failed: ['subject'] }];
      expect(Number(query.get('timeout'))).to.equal(25);
      return {
        outcome,
        mark,
        messages,
        settled: true,
        waitedMs: 1,
        unmatched: { count: 1, nearest },
      };
    };
    receiver.answer((_req, res, { path }) => {
      const query = new URL(path, receiver.url).searchParams;
      const body =
        query.get('mark') === null
          ? waits(query, 'timeout', 'M1')
          : waits(query, 'matched', 'M2', [{ id: 'msg_1', subject: 'code' }]);
      res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    });
    const message = await client().inbox('a b').wait({ subject: 'code', timeout: 120 });
    expect(message.id).to.equal('msg_1');
    const [first, second] = requests().map(({ path }) => path);
    expect(first).to.match(
      /^\/api\/mailboxes\/a%20b\/messages\/wait\?subject=code&count=1&order=oldest&timeout=25$/,
    );
    expect(second).to.include('mark=M1');
  });

  it('opens a stream again after an outage of the service', async () => {
    receiver.answer((_req, res) => {
      const n = requests().length;
      if (n > 1 && n < 9) return void res.writeHead(502).end();
      res.writeHead(200, { 'content-type': 'text/event-stream' });
      res.write('event: ready\ndata: {}\n\n', () => {
        if (n === 1) res.destroy();
        else res.write('id: 1-0\nevent: x\ndata: {"type":"message.received"}\n\n');
      });
    });
    const ready: number[] = [];
    const stream = client().events({ onReady: () => ready.push(requests().length) });
    const { value } = await stream.next();
    await stream.return();
    expect(value).to.deep.equal({ type: 'message.received' });
    expect(ready).to.deep.equal([1, 9]);
    receiver.answer(502);
    expect(await rejection(client().events().next())).to.include({ status: 502 });
  });

  it('opens a broken stream again after the last event, and discards repeats', async () => {
    const event = (n: number) =>
      `id: ${n}-0\nevent: message.received\ndata: {"type":"message.received","messageId":"msg_${n}"}\n\n`;
    receiver.answer((_req, res) => {
      res.writeHead(200, { 'content-type': 'text/event-stream' });
      if (requests().length === 1) res.write(`: hello\n\n${event(1)}`, () => res.destroy());
      else res.write(`event: reset\ndata: {}\n\n${event(1)}${event(2)}`);
    });
    const seen: string[] = [];
    for await (const told of client().events()) {
      seen.push('messageId' in told ? String(told.messageId) : told.type);
      if (seen.length === 3) break;
    }
    expect(seen).to.deep.equal(['msg_1', 'reset', 'msg_2']);
    expect(requests()[1]?.headers['last-event-id']).to.equal('1-0');
  });
});

describe('verifyWebhook of @mayfly/client', () => {
  const secret = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;
  const body = Buffer.from('{"event":"message.received","mailbox":"hello"}');
  const signed = (at = Date.now(), secrets = [secret]) =>
    signatureHeaders(secrets, { id: 'msg_1', at, body });

  it('returns the event of a genuine request, for each form of the headers', async () => {
    const { event, mailbox } = await verifyWebhook(body, signed(), secret);
    expect({ event, mailbox }).to.deep.equal({ event: 'message.received', mailbox: 'hello' });
    await verifyWebhook(body.toString(), new Headers(signed()), secret);
    const other = `whsec_${Buffer.alloc(24, 8).toString('base64')}`;
    await verifyWebhook(body, signed(Date.now(), [other, secret]), secret);
    const upper = Object.entries(signed()).map(([name, value]) => [name.toUpperCase(), value]);
    await verifyWebhook(body, Object.fromEntries(upper) as Record<string, string>, secret);
  });

  it('refuses a body that was parsed', async () => {
    const parsed = JSON.parse(body.toString()) as never;
    const error = await rejection(verifyWebhook(parsed, signed(), secret));
    expect(error).to.be.instanceOf(TypeError);
    expect((error as Error).message).to.include('A parsed body cannot be verified');
  });

  it('names a variable that is not set', async () => {
    for (const [work, text] of [
      [() => verifyWebhook(body, signed(), undefined as never), 'The secret is missing.'],
      [() => verifyWebhook(body, undefined as never, secret), 'The headers must be'],
    ] as const) {
      const error = await rejection(work());
      expect(error).to.be.instanceOf(TypeError);
      expect((error as Error).message).to.include(text);
    }
  });

  for (const [what, change] of Object.entries({
    'another body': () => verifyWebhook('{}', signed(), secret),
    'another secret': () => verifyWebhook(body, signed(), 'whsec_AAAA'),
    'an old timestamp': () => verifyWebhook(body, signed(Date.now() - 400_000), secret),
    'a malformed signature': () =>
      verifyWebhook(body, { ...signed(), 'webhook-signature': 'v1,% v2,AAAA' }, secret),
    'no headers': () => verifyWebhook(body, {}, secret),
  })) {
    it(`refuses ${what}`, async () => {
      expect(await rejection(change())).to.be.instanceOf(MayflySignatureError);
    });
  }
});
