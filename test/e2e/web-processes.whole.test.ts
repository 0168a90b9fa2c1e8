import { once } from 'node:events';
import { type IncomingMessage, Agent, request } from 'node:http';
import { connect } from 'node:net';
import { expect } from 'chai';
import { eventually } from '../support/mocha/eventually.ts';
import { type Product, isAlive, startProduct } from '../support/process/product.ts';

describe('several web processes', () => {
  let product: Product;
  before(async () => {
    product = await startProduct({ WEB_PROCESSES: '2', LOG_LEVEL: 'info' });
  });
  after(() => product.stop());

  /**
   * Pids of the processes that have reported that they are ready. The one that `up` started serves
   * no requests.
   */
  const serving = () =>
    [...product.output().matchAll(/^web .*"message":"ready","pid":(\d+)/gm)]
      .map(([, pid]) => Number(pid))
      .filter((pid) => pid !== product.processes().get('web') && isAlive(pid));
  const deaths = () => product.output().match(/"event":"exited \(SIGKILL\)/g)?.length ?? 0;
  const statuses = () =>
    Promise.all(
      Array.from({ length: 10 }, async () => {
        const response = await fetch(`${product.apiUrl}/mailboxes`, {
          headers: { Authorization: `Bearer ${product.token}`, Connection: 'close' },
        });
        await response.arrayBuffer();
        return response.status;
      }),
    );

  it('serve one port, also while one of them restarts after a crash', async () => {
    const first = serving();
    expect(first).to.have.length(2);
    for (const [n, pid] of first.entries()) {
      process.kill(pid, 'SIGKILL');
      await eventually('its exit to be reported', () => deaths() === n + 1);
      expect(await statuses()).to.deep.equal(Array(10).fill(200));
      await eventually('two to serve', () => serving().length === 2);
    }
    expect(await statuses()).to.deep.equal(Array(10).fill(200));
  });

  it('create one mailbox for one client id', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const response = await fetch(`${product.apiUrl}/mailboxes`, {
          method: 'POST',
          headers: {
            ...{ Authorization: `Bearer ${product.token}`, Connection: 'close' },
            'Content-Type': 'application/json',
          },
          body: JSON.stringify({ clientId: 'job-1' }),
        });
        const { id } = (await response.json()) as { id: string };
        return { status: response.status, id };
      }),
    );
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).to.deep.equal([...Array<number>(19).fill(200), 201]);
    expect(new Set(answers.map(({ id }) => id)).size).to.equal(1);
  });

  it('stop together, and complete the request that one of them serves', async () => {
    const pids = serving();
    await stopsInOrder(product, 3);
    expect(pids.filter(isAlive)).to.deep.equal([]);
    expect(product.output()).to.not.contain('"level":"warn"');
  });
});

describe('the web process on SIGTERM', () => {
  it('completes the request that it serves, ends streams, and closes idle connections', async () => {
    const product = await startProduct({ LOG_LEVEL: 'info' });
    try {
      await stopsInOrder(product, 1);
    } finally {
      await product.stop();
    }
  });
});

/**
 * Sends SIGTERM to a product while its web process serves a request, a stream and idle connections.
 * The request is answered, the others are closed, and the product exits with 0.
 * @param product logs at the level `info`
 * @param processes the number of processes called web
 */
async function stopsInOrder(product: Product, processes: number): Promise<void> {
  const silent = connect(product.httpPort, '127.0.0.1');
  await once(silent, 'connect');
  const begun = connect(product.httpPort, '127.0.0.1');
  begun.write('GET /healthz HTTP/1.1\r\nHost: half');
  const ended = Promise.all([silent, begun].map((socket) => once(socket.resume(), 'close')));
  const events = request(`${product.apiUrl}/events`, {
    headers: { Authorization: `Bearer ${product.token}` },
  }).end();
  const [stream] = (await once(events, 'response')) as [IncomingMessage];
  const streamEnded = once(stream.resume(), 'end');
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const body = JSON.stringify({ name: 'late' });
  const creation = request(`${product.apiUrl}/mailboxes`, {
    agent,
    method: 'POST',
    headers: {
      Authorization: `Bearer ${product.token}`,
      'Content-Type': 'application/json',
      'Content-Length': body.length,
      Expect: '100-continue', // its reply shows that the request is being served
    },
  });
  creation.flushHeaders();
  await once(creation, 'continue');
  product.child.kill('SIGTERM');
  const stopping = () => product.output().match(/^web .*"message":"stopping"/gm)?.length;
  await eventually('all web processes to stop', () => stopping() === processes);
  creation.end(body);

  const [answer] = (await once(creation, 'response')) as [IncomingMessage];
  expect(answer.statusCode).to.equal(201);
  expect(answer.headers.connection).to.equal('close');
  answer.resume();
  // The two idle connections do not delay the exit until its deadline of 20 s.
  await ended;
  await streamEnded;
  expect(await product.exited).to.equal(0);
  agent.destroy();
}
