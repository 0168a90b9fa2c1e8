import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { connectMcp } from '../support/clients/mcp-client.ts';
import { programPath } from '../support/process/process.ts';
import { type Receiver, openReceiver } from '../support/servers/receiver.ts';
import { service } from '../support/service.ts';

interface Answer {
  id: number | string | null;
  result?: object;
  error?: { code: number; message: string };
}

const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list' };

describe('mayfly mcp', () => {
  const test = service();
  let receiver: Receiver;

  beforeEach(async () => {
    receiver = await openReceiver();
  });
  afterEach(() => receiver.close());

  const start = async (env: NodeJS.ProcessEnv, input = '') => {
    const child = spawn(process.execPath, [programPath('scripts/mcp/main')], { env });
    child.stdin.end(input);
    const [stdout, stderr, [status]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'close') as Promise<[number]>,
    ]);
    return { status, stdout, stderr };
  };
  /** Sends messages to a service. @returns what is answered to them, in the order of the ids. */
  const ask = async (env: NodeJS.ProcessEnv, ...messages: object[]) => {
    const lines = messages.map((message) => `${JSON.stringify(message)}\n`);
    const { stdout } = await start({ MAYFLY_TOKEN: 'mf_x', ...env }, lines.join(''));
    const answers = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Answer);
    return answers.sort((one, other) => Number(one.id) - Number(other.id));
  };

  it('carries standard input and output', async () => {
    const { url } = await test.listen();
    const { token } = test.workspace;
    const client = await connectMcp({ url, token, transport: 'stdio', revision: '2025-11-25' });
    expect((await client.call('list_mailboxes')).structuredContent?.total).to.equal(0);
    await client.close();
  });

  const listed = (answer: unknown) => JSON.stringify(answer).includes('list_mailboxes');
  const lines = (stdout: string) =>
    stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Answer | Answer[]);

  it('takes a byte order mark in front of a message', async () => {
    const env = { MAYFLY_TOKEN: test.workspace.token, MAYFLY_URL: (await test.listen()).url };
    for (const [mark, end] of [
      ['\ufeff', '\r\n'],
      ['\ufeff\r\n', ''],
    ]) {
      const { stdout, stderr } = await start(env, `${mark}${JSON.stringify(LIST)}${end}`);
      expect([stderr, lines(stdout).map(listed)], JSON.stringify(mark)).to.deep.equal(['', [true]]);
    }
  });

  it('takes a batch and answers with a list', async () => {
    const env = { MAYFLY_TOKEN: test.workspace.token, MAYFLY_URL: (await test.listen()).url };
    const told = { jsonrpc: '2.0', method: 'notifications/initialized' };
    const cancelled = { ...told, method: 'notifications/cancelled', params: { requestId: 9 } };
    const ping = { jsonrpc: '2.0', id: 'two', method: 'ping' };
    const batches = [[LIST, told, ping], [ping, cancelled], [told], [cancelled]];
    const input = `\ufeff${batches.map((each) => JSON.stringify(each)).join('\n')}\n`;
    const { stdout, stderr } = await start(env, input);
    const ids = lines(stdout).map((answers) => [answers].flat().map((each) => each.id));
    expect([stderr, ids.sort((a, b) => a.length - b.length)]).to.deep.equal([
      '',
      [['two'], [1, 'two']],
    ]);
    expect(lines(stdout).every(Array.isArray)).to.equal(true);
  });

  it('answers each request of a batch that is refused', async () => {
    const { url } = await test.listen();
    const env = { MAYFLY_TOKEN: test.workspace.token, MAYFLY_URL: url };
    const many = Array.from({ length: 21 }, (_, n) => ({ ...LIST, id: n }));
    const { stdout } = await start(env, `${JSON.stringify(many)}\n`);
    const [answers] = lines(stdout) as [Answer[]];
    expect(answers.map(({ id, error }) => [id, error?.code])).to.deep.equal(
      many.map(({ id }) => [id, -32600]),
    );
    const away = await start(
      { ...env, MAYFLY_URL: 'http://localhost:9' },
      `${JSON.stringify([LIST, { ...LIST, id: 2 }])}\n[]\n[1]\n`,
    );
    const codes = lines(away.stdout).map((each) => [each].flat().map(({ error }) => error?.code));
    expect(codes).to.have.deep.members([[-32600], [-32600], [-32000, -32000]]);
  });

  it('says what is missing', async () => {
    const without = await start({});
    expect([without.status, without.stdout]).to.deep.equal([2, '']);
    expect(without.stderr).to.include('MAYFLY_TOKEN is not set');
    const wrong = await start({ MAYFLY_TOKEN: 'a', MAYFLY_URL: 'no' });
    expect(wrong.stderr).to.include('MAYFLY_URL is not a URL');
  });

  it('answers with an error what is not sent', async () => {
    // Port 9 of this machine has no server.
    const env = { MAYFLY_TOKEN: 'a', MAYFLY_URL: 'http://localhost:9' };
    const { stdout } = await start(env, `${JSON.stringify(LIST)}\nno JSON\n`);
    const answers = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Answer);
    expect(answers.map(({ id, error }) => [id, error?.code])).to.have.deep.members([
      [null, -32700],
      [1, -32000],
    ]);
    const [sent] = answers.filter(({ id }) => id === 1);
    expect(sent?.error?.message).to.match(/^http:\/\/localhost:9\/mcp: .*ECONNREFUSED/);
  });

  it('answers a message that the service refused', async () => {
    const env = { MAYFLY_TOKEN: test.workspace.token, MAYFLY_URL: (await test.listen()).url };
    const nested = JSON.parse(`${'['.repeat(40)}${']'.repeat(40)}`) as unknown;
    const [answer] = await ask(env, { ...LIST, id: 7, params: { nested } });
    expect([answer?.id, answer?.error?.code]).to.deep.equal([7, -32600]);
  });

  it('names the target of a redirect, and what to set', async () => {
    const statuses = [301, 302, 303, 307, 308];
    const location = 'https://mail.test/mayfly/mcp';
    receiver.answer((_req, res, { body }) => {
      const { id } = JSON.parse(body.toString()) as { id: number };
      res.writeHead(id, { location }).end('Moved');
    });
    const env = { MAYFLY_URL: new URL(receiver.url).origin };
    const answers = await ask(env, ...statuses.map((id) => ({ ...LIST, id })));
    const told = statuses.map(
      (status) =>
        `${env.MAYFLY_URL}/mcp redirects to ${location} (status ${status}). ` +
        'Set MAYFLY_URL to https://mail.test/mayfly.',
    );
    expect(answers.map(({ error }) => error?.message)).to.deep.equal(told);
    expect(receiver.received).to.have.length(statuses.length);
  });

  it('names what it knows of a redirect that names no other service', async () => {
    const locations = [undefined, '/login', '/mcp', 'https://'];
    receiver.answer((_req, res, { body }) => {
      const { id } = JSON.parse(body.toString()) as { id: number };
      const location = locations[id];
      res.writeHead(302, location === undefined ? {} : { location }).end('Moved');
    });
    const env = { MAYFLY_URL: new URL(receiver.url).origin };
    const answers = await ask(env, ...locations.map((_, id) => ({ ...LIST, id })));
    const to = locations.map((location) =>
      location === undefined ? 'elsewhere' : `to ${location}`,
    );
    expect(answers.map(({ error }) => error?.message)).to.deep.equal(
      to.map(
        (target) =>
          `${env.MAYFLY_URL}/mcp redirects ${target} (status 302). ` +
          'Set MAYFLY_URL to the address that answers without a redirect.',
      ),
    );
  });

  it('uses no proxy of the environment for this machine', async () => {
    receiver.answer((_req, res) => {
      res.writeHead(200, { 'content-type': 'application/json' });
      res.end(JSON.stringify({ jsonrpc: '2.0', id: 1, result: {} }));
    });
    const proxy = { NODE_USE_ENV_PROXY: '1', HTTP_PROXY: 'http://127.0.0.1:9' };
    const answers = await ask({ MAYFLY_URL: new URL(receiver.url).origin, ...proxy }, LIST);
    expect(answers).to.deep.equal([{ jsonrpc: '2.0', id: 1, result: {} }]);
  });
});
