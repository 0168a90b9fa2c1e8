import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { expect } from 'chai';
import express from 'express';
import { probeAtEnd } from '../../../api/http/request.ts';

const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;

describe('the probe of an event stream', () => {
  it('does not begin for a client that had gone before the stream began', async () => {
    const app = express();
    const left = new Promise<number>((resolve) => {
      app.get('/', async (req, res) => {
        const { socket } = req;
        client.end();
        if (!socket.readableEnded) await once(socket, 'end');
        client.resetAndDestroy();
        if (!socket.destroyed)
          await once(
            socket.on('error', () => undefined),
            'close',
          );
        const before = timers();
        probeAtEnd(res);
        resolve(timers() - before);
      });
    });
    const server = createServer(app).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
    client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    try {
      expect(await left).to.equal(0);
    } finally {
      server.close();
    }
  });
});
