import { once } from 'node:events';
import {
  type IncomingMessage,
  type ServerOptions,
  type ServerResponse,
  createServer,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import express, { type Express } from 'express';
import { installMessageClasses } from '../../../api/http/express-prototypes.ts';

/** Sends a request. @returns whether the prototypes of request and response have changed. */
async function changesOf(app: Express, classes: ServerOptions) {
  let before: object[] = [];
  let after: object[] = [];
  const prototypes = (...messages: object[]) =>
    messages.map((message) => Object.getPrototypeOf(message) as object);
  app.get('/page', (req, res) => {
    after = prototypes(req, res);
    res.json({ path: req.path, query: req.query, isSame: req.app === app && res.app === app });
  });
  const server = createServer(classes, (req: IncomingMessage, res: ServerResponse) => {
    before = prototypes(req, res);
    app(req, res);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    const { port } = server.address() as AddressInfo;
    const response = await fetch(`http://127.0.0.1:${port}/page?a=b`);
    expect(await response.json()).to.deep.equal({ path: '/page', query: { a: 'b' }, isSame: true });
    return before.map((prototype, n) => prototype !== after[n]);
  } finally {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  }
}

describe('the classes of requests and responses', () => {
  it('have the prototypes that Express requires', async () => {
    const app = express();
    expect(await changesOf(app, installMessageClasses(app))).to.deep.equal([false, false]);
  });

  it('spare a change of the prototype of each object', async () => {
    expect(await changesOf(express(), {})).to.deep.equal([true, true]);
  });

  it('also spare it if another application is mounted', async () => {
    const app = express();
    app.use('/other', express());
    expect(await changesOf(app, installMessageClasses(app))).to.deep.equal([false, false]);
  });
});
