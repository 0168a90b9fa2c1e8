import { expect } from 'chai';
import { createMailboxes } from '../../core/mailboxes/create.ts';
import { REVISIONS } from '../support/clients/mcp-client.ts';
import { eventually } from '../support/mocha/eventually.ts';
import { service } from '../support/service.ts';

const JSON_TYPE = 'application/json; charset=utf-8';
const STREAM = 'text/event-stream';
/** Values of Accept, and the type of the answer to a client of an earlier revision. */
const ACCEPTED: [accept: string | null, type: string][] = [
  [null, JSON_TYPE],
  ['', JSON_TYPE],
  ['*/*', JSON_TYPE],
  ['application/json', JSON_TYPE],
  ['application/*', JSON_TYPE],
  ['Application/JSON;q=0.5', JSON_TYPE],
  ['application/json, text/event-stream;q=0', JSON_TYPE],
  ['text/html, application/json;q=0.9, */*;q=0.8', JSON_TYPE],
  ['text/event-stream', STREAM],
  ['application/json;q=0, text/event-stream', STREAM],
  ['application/json, text/event-stream', STREAM],
];
const NEITHER = ['text/html', 'application/xml, text/*;q=0', 'application/json;q=0', '*/*;q=0'];

const ENVELOPE = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

const message = (method: string, params: object, revision: string, id = 1) => ({
  ...{ jsonrpc: '2.0', id, method },
  params: {
    ...params,
    _meta: revision === ENVELOPE['io.modelcontextprotocol/protocolVersion'] ? ENVELOPE : {},
  },
});

describe('Accept of POST /mcp', () => {
  const test = service({ env: { RATE_LIMIT_PRO: '0', WAITS_PER_WORKSPACE: '1' } });

  beforeEach(() => createMailboxes(test.context, test.caller, [{ name: 'box' }]));

  /** Sent by `fetch` of a client that adds nothing to Accept. */
  const post = (accept: string | null, sent: { method: string; params: object } | object[]) => {
    const isOne = !Array.isArray(sent);
    const revision = JSON.stringify(sent).includes('2026-07-28') ? '2026-07-28' : undefined;
    let request = test.api.post('/mcp').type('json');
    request = accept === null ? request.unset('Accept') : request.set('Accept', accept);
    if (isOne && revision !== undefined) {
      request.set('MCP-Protocol-Version', revision).set('Mcp-Method', sent.method);
      const name = 'name' in sent.params ? sent.params.name : undefined;
      if (typeof name === 'string') request.set('Mcp-Name', name);
    }
    return request.send(sent);
  };

  for (const [accept, type] of ACCEPTED) {
    it(`${accept === null ? 'without a value' : `"${accept}"`} gets ${type}`, async () => {
      const sent = message('tools/list', {}, '2025-11-25');
      const { headers, text } = await post(accept, sent).expect(200);
      expect(headers['content-type']).to.equal(type);
      expect(text).to.include('list_mailboxes');
      if (type === JSON_TYPE) expect(JSON.parse(text)).to.include({ jsonrpc: '2.0', id: 1 });
    });
  }

  for (const accept of NEITHER) {
    it(`"${accept}" gets 406`, async () => {
      for (const revision of REVISIONS) {
        const { body } = await post(accept, message('tools/list', {}, revision)).expect(406);
        expect(body).to.deep.include({ jsonrpc: '2.0', id: null });
      }
    });
  }

  for (const revision of REVISIONS) {
    it(`of JSON alone gets the result of a wait and no progress: ${revision}`, async () => {
      const call = { name: 'wait_for_code', arguments: { mailbox: 'box', timeout: 20 } };
      const sent = message('tools/call', call, revision, 7);
      Object.assign(sent.params, {
        _meta: { ...sent.params._meta, progressToken: 'x' },
      });
      const waiting = post('application/json', sent);
      const answered = waiting.expect(200).expect('Content-Type', JSON_TYPE).then();
      await test.receive('box', 'Subject: x\r\n\r\nYour code is 482913.\r\n');
      const { body } = await answered;
      expect(body).to.include({ id: 7 });
      expect(body.result.structuredContent).to.include({ code: '482913' });
    });
  }

  it('of a stream alone gets a stream from the newest revision too', async () => {
    const sent = message('tools/list', {}, '2026-07-28');
    const { headers, text } = await post(STREAM, sent).expect(200);
    expect(headers['content-type']).to.equal(STREAM);
    expect(text).to.include('list_mailboxes');
  });

  it('of JSON alone gets the answers to a batch as a list', async () => {
    const ping = { jsonrpc: '2.0', id: 2, method: 'ping' };
    const told = { jsonrpc: '2.0', method: 'notifications/initialized' };
    const sent = [message('tools/list', {}, '2025-03-26'), ping, told];
    const { body } = await post('application/json', sent).expect(200);
    expect((body as { id: number }[]).map(({ id }) => id)).to.have.members([1, 2]);
    await post('application/json', [told]).expect(202);
  });

  it('of JSON alone ends a wait whose client is gone', async () => {
    const { url } = await test.listen();
    const gone = new AbortController();
    const call = { name: 'wait_for_code', arguments: { mailbox: 'box', timeout: 50 } };
    const request = {
      ...{ method: 'POST', body: JSON.stringify(message('tools/call', call, '2025-11-25')) },
      headers: {
        ...{ Authorization: `Bearer ${test.workspace.token}`, Accept: 'application/json' },
        'Content-Type': 'application/json',
      },
    };
    let isWaiting = false;
    /** Waits, unless a look of this test has the only wait of the workspace. */
    const wait = () => {
      isWaiting = true;
      const sent = fetch(new URL('/mcp', url), { ...request, signal: gone.signal });
      return sent.then(
        async (response) => {
          await response.text();
          isWaiting = false;
        },
        () => undefined,
      );
    };
    let waiting = wait();
    const next = async () => {
      const params = { ...call, arguments: { mailbox: 'box', timeout: 0 } };
      const { body } = await post(
        'application/json',
        message('tools/call', params, '2025-11-25'),
      ).expect(200);
      return JSON.stringify(body);
    };
    await eventually('the wait has begun', async () => {
      if (!isWaiting) waiting = wait();
      return (await next()).includes('isError');
    });
    gone.abort();
    await waiting;
    await eventually('the wait has ended', async () => (await next()).includes('timeout'));
  });
});
