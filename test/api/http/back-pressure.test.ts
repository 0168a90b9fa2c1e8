import { once } from 'node:events';
import { type AddressInfo, type Socket, connect } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import Database from 'better-sqlite3';
import { expect } from 'chai';
import { installMessageClasses } from '../../../api/http/express-prototypes.ts';
import { createHttpServer } from '../../../api/http/server.ts';
import { itOnSqlite, sqliteFile } from '../../support/context/sqlite-file.ts';
import { eventually } from '../../support/mocha/eventually.ts';
import { type SmallDisk, mountSmallDisk } from '../../support/servers/small-disk.ts';
import { speak, statusesIn } from '../../support/clients/speak.ts';
import { makeTempDir } from '../../support/context/temp-dir.ts';
import { service } from '../../support/service.ts';

const LARGE = Buffer.alloc(1_500_000, 1).toString('base64');

describe('API: back-pressure', () => {
  const test = service({ env: { REDIS_TIMEOUT_MS: '1500' }, mailboxes: ['box'] });
  const { api, reopen } = test;

  const create = () => api.post('/api/mailboxes').send({});
  const read = () => api.get('/api/mailboxes/box/messages');
  const send = (data?: string) =>
    api.post('/api/mailboxes/box/messages').send({
      to: ['box@one.test'],
      subject: 'x',
      ...(data === undefined ? {} : { attachments: [{ filename: 'a', data }] }),
    });
  const isRefused = async (request: ReturnType<typeof create>) => {
    const { status, headers, body } = await request;
    expect([status, (body as { code: string }).code]).to.deep.equal([503, 'unavailable']);
    expect(Number(headers['retry-after'])).to.be.greaterThan(0);
  };
  const listen = async () => {
    const classes = installMessageClasses(api.app);
    const server = createHttpServer(api.app, classes, test.context.log, test.config.http);
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return server;
  };
  const head = (line: string, headers: string) =>
    `${line} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${test.workspace.token}\r\n${headers}\r\n`;
  const post = (headers: string) =>
    head('POST /api/mailboxes/box/messages', `Content-Type: application/json\r\n${headers}`);
  const works = (request: () => ReturnType<typeof create>) =>
    eventually('the request to succeed', async () => (await request()).status === 201);

  it('responds with 503 to large bodies above the total limit, before it reads them', async () => {
    await reopen({ HTTP_MAX_RECEIVING_BYTES: '5000000' });
    const server = await listen();
    const { port } = server.address() as AddressInfo;
    const unfinished = connect(port, '127.0.0.1');
    try {
      unfinished.write(`${post('Content-Length: 2000000\r\n')}{`);
      const expecting = 'Expect: 100-continue\r\nConnection: close\r\n';
      const large = async () =>
        statusesIn(await speak(port, post(`Content-Length: 1500001\r\n${expecting}`)));
      await eventually('a large body not to be asked for', async () => (await large())[0] === 503);
      for (const unknown of [
        'Transfer-Encoding: chunked',
        'Content-Length: 9\r\nContent-Encoding: gzip',
      ]) {
        const answer = await speak(port, post(`${unknown}\r\n${expecting}`));
        expect(statusesIn(answer)).to.deep.equal([503]);
        expect(answer).to.match(/^retry-after: \d/im);
      }
      await api.post('/api/mailboxes').send({}).expect(201);
      unfinished.destroy();
      await works(() => send(LARGE));
    } finally {
      unfinished.destroy();
      server.closeAllConnections();
      server.close();
    }
  });

  it('holds no large body for a request whose response waits for an earlier one of its connection', async () => {
    const server = await listen();
    const { port } = server.address() as AddressInfo;
    const pipelined = connect(port, '127.0.0.1');
    try {
      const body = '{"to":["box@one.test"],"subject":"pipelined"}'.padEnd(1_100_000);
      let answers = '';
      pipelined.on('data', (chunk: Buffer) => (answers += chunk.toString()));
      pipelined.write(head('GET /api/events', ''));
      await eventually('the stream', () => Promise.resolve(answers.includes('200 OK')));
      const seen = once(server, 'request');
      pipelined.write(post(`Content-Length: ${body.length}\r\n`) + body);
      await seen;
      await send(LARGE).expect(201);
    } finally {
      pipelined.destroy();
      server.closeAllConnections();
      server.close();
    }
  });

  it('returns the whole budget after requests that were aborted at any stage', async () => {
    const budget = 5_000_000;
    await reopen({ HTTP_MAX_RECEIVING_BYTES: String(budget) });
    const server = await listen();
    const { port } = server.address() as AddressInfo;
    let requests = 0;
    server.on('request', () => (requests += 1));
    const connections = promisify(server.getConnections.bind(server));
    const seen = async (count: number, sockets: Socket[]) => {
      await eventually('the requests to arrive', () => Promise.resolve(requests === count));
      for (const socket of sockets) socket.destroy();
      await eventually('the connections to end', async () => (await connections()) === 0);
      requests = 0;
    };
    const open = (count: number, bytes: string) =>
      Array.from({ length: count }, () => {
        const socket = connect(port, '127.0.0.1');
        socket.on('error', () => undefined);
        socket.write(bytes);
        return socket;
      });
    const isWhole = async () => {
      const body = '{"to":["box@one.test"],"subject":"x"}'.padEnd(budget / 2);
      const send = () => api.post('/api/mailboxes/box/messages').type('json').send(body);
      await eventually('the budget to be whole', async () => (await send()).status === 201);
    };
    const part = `${post('Content-Length: 400000\r\n')}{`;
    try {
      // Before the body is read: the rate limit waits for Redis.
      test.redis.pause();
      await seen(20, open(20, part));
      test.redis.resume();
      await isWhole();
      // While the body arrives, plain or compressed.
      await seen(8, [
        ...open(4, part),
        ...open(4, `${post('Content-Length: 9\r\nContent-Encoding: gzip\r\n')}x`),
      ]);
      await isWhole();
      // Behind a request of the same connection with an endless response.
      await seen(4, open(2, head('GET /api/events', '') + part));
      await isWhole();
      // After the body.
      const whole = JSON.stringify({ to: ['box@one.test'], subject: 'x' });
      await seen(20, open(20, post(`Content-Length: ${whole.length}\r\n`) + whole));
      await isWhole();
    } finally {
      test.redis.resume();
      server.closeAllConnections();
      server.close();
    }
  });

  it('responds with 503 to what a full Redis must store, and serves the rest', async () => {
    await test.context.redis.config('SET', 'maxmemory', '1');
    await isRefused(create());
    await read().expect(200);
    await send().expect(201);
    await test.context.redis.config('SET', 'maxmemory', '0');
    await works(create);
  });

  it('responds with 503 while Redis hangs, and serves the rest', async () => {
    test.redis.pause();
    await isRefused(create());
    await read().expect(200);
    await send().expect(201);
    test.redis.resume();
    await works(create);
  });

  itOnSqlite(
    'responds with 503 to changes while the database is locked, and serves reads',
    async () => {
      const other = new Database(sqliteFile(test.config));
      other.exec('begin immediate');
      await Promise.all([isRefused(send()), isRefused(create()), read().expect(200)]);
      other.exec('rollback');
      other.close();
      await works(create);
    },
  );

  const onSmallDisk = async (
    suite: Mocha.Context,
    folder: string,
    megabytes: number,
    body: (disk: SmallDisk) => Promise<void>,
  ) => {
    const disk = await mountSmallDisk(folder, megabytes);
    if (!disk) suite.skip();
    try {
      await body(disk);
    } finally {
      await disk.unmount();
    }
  };

  itOnSqlite('responds with 503 while the disk of the database is full', async function () {
    const folder = await makeTempDir();
    const disk = await mountSmallDisk(folder.path, 8);
    await reopen({ DATABASE_URL: `sqlite:${join(folder.path, 'mayfly.sqlite')}` });
    if (!disk) this.skip();
    try {
      await disk.fill();
      await eventually('the disk to be full', async () => (await send()).status === 503);
      await isRefused(send());
      await read().expect(200);
      await disk.free();
      await works(send);
    } finally {
      await disk.unmount();
    }
  });

  it('responds with 503 to what needs the blob store while its disk is full', async function () {
    await onSmallDisk(this, join(test.config.dataDir, 'blobs'), 8, async (disk) => {
      await send(LARGE).expect(201);
      await disk.fill();
      await isRefused(send(LARGE));
      await send().expect(201);
      await disk.free();
      await works(() => send(LARGE));
    });
  });
});
