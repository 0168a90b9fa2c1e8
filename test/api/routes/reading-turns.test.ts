/** The order in which large stored mail is read for requests. */
import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { expect } from 'chai';
import type { ParsePool } from '../../../core/mime/parser-pool.ts';
import { createHttpServer } from '../../../api/http/server.ts';
import { installMessageClasses } from '../../../api/http/express-prototypes.ts';
import { eventually } from '../../support/mocha/eventually.ts';
import { service } from '../../support/service.ts';

describe('reading of large mail for requests', () => {
  const test = service({ mailboxes: ['box'], env: { RATE_LIMIT_PRO: '0' } });

  it('takes turns of workspaces, and leaves out clients that have gone', async () => {
    const stranger = await test.stranger();
    await test.api.post('/api/mailboxes', stranger).send({ name: 'box' }).expect(201);
    const ours = await test.receive('box', { subject: 'ours' });
    const theirs = await test.receive('box@other1.test', { subject: 'theirs' });
    const { parsePool } = test.context.ingest;
    const { run } = parsePool;
    const begun: string[] = [];
    let goOn = () => {};
    const held = new Promise<void>((resolve) => (goOn = resolve));
    const hold: ParsePool['run'] = async (task, input) => {
      begun.push(/Subject: (\w+)/.exec(String(input))?.[1] ?? '');
      await held;
      return run(task, input);
    };
    parsePool.run = hold;

    const classes = installMessageClasses(test.api.app);
    const server = createHttpServer(test.api.app, classes, test.context.log, test.config.http);
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    const ask = (id: string, token: string) => {
      const socket = connect(port, '127.0.0.1');
      socket.write(
        `GET /api/mailboxes/box/messages/${id}/parts HTTP/1.1\r\nHost: x\r\n` +
          `Authorization: Bearer ${token}\r\n\r\n`,
      );
      return socket;
    };
    let waiting = 0;
    const { inTurn } = test.context.ingest.reading;
    test.context.ingest.reading.inTurn = (...args) => {
      waiting += 1;
      return inTurn(...args).finally(() => (waiting -= 1));
    };
    const sockets = Array.from({ length: 10 }, () => ask(ours, test.workspace.token));
    await eventually('all requests to wait', () => waiting === 10 && begun.length === 2);
    for (const socket of sockets.slice(0, 8)) socket.end(); // as a client does that gives up
    await eventually('those of gone clients to leave', () => waiting <= 4);
    const answer = once(ask(theirs, stranger), 'data');
    await eventually('the neighbor to wait', () => waiting > 4 || begun.includes('theirs'));
    goOn();
    expect(String(await answer)).to.match(/^HTTP\/1\.1 200 /);
    // Two begin when the first two end, and each loads its mail before it is seen here.
    expect(begun.indexOf('theirs')).to.be.within(2, 3);
    await eventually('the rest to be read', () => waiting === 0);
    expect(begun.filter((name) => name === 'ours').length).to.be.lessThan(7);
    for (const socket of sockets) socket.destroy();
    server.closeAllConnections();
    server.close();
  });
});
