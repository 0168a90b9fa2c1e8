import { expect } from 'chai';
import { eventually } from '../support/mocha/eventually.ts';
import { type Product, isAlive, startProduct } from '../support/process/product.ts';
import { stopsInOrder } from '../support/process/stops-in-order.ts';

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
