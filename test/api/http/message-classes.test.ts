import { once } from 'node:events';
import { type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect } from 'chai';
import express, { type Express, type Request, type Response } from 'express';
import { type MessageClasses, messageClasses } from '../../../api/http/message-classes.js';

type Comparison = (one: object, other: object) => boolean;

/** Whether V8 has the same hidden class for both objects. */
const haveSameClass = compileComparison();

function compileComparison(): Comparison {
  setFlagsFromString('--allow-natives-syntax');
  try {
    const compare = runInNewContext('(one, other) => %HaveSameMap(one, other)') as Comparison;
    compare({}, {}); // compiles the body, which needs the flag
    return compare;
  } finally {
    setFlagsFromString('--no-allow-natives-syntax');
  }
}

describe('the classes of requests and responses', () => {
  let app: Express;
  let server: Server;
  let held: { req: Request; res: Response }[];

  const serve = async (classes: Partial<MessageClasses>) => {
    server = createServer(classes, app).listen(0, '127.0.0.1');
    await once(server, 'listening');
  };
  /** Two requests at the same time. @returns the bodies, and what had the same hidden class. */
  const askTwice = async () => {
    held = [];
    const { port } = server.address() as AddressInfo;
    const ask = async () => (await fetch(`http://127.0.0.1:${port}/held?a=b`)).json();
    const bodies = Promise.all([ask(), ask()]);
    await once(app, 'both');
    const [one, other] = held;
    if (!one || !other) throw new Error('both requests are held');
    const same = [haveSameClass(one.req, other.req), haveSameClass(one.res, other.res)];
    for (const { req, res } of held) res.json({ path: req.path, query: req.query });
    return { bodies: await bodies, same };
  };

  beforeEach(() => {
    app = express();
    app.get('/held', (req, res) => {
      held.push({ req, res });
      if (held.length === 2) app.emit('both');
    });
  });
  afterEach(async () => {
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  });

  it('give all requests one hidden class, and all responses', async () => {
    await serve(messageClasses(app));
    await askTwice(); // the first objects of a class change it
    const { bodies, same } = await askTwice();
    expect(same).to.deep.equal([true, true]);
    expect(bodies).to.deep.equal(Array(2).fill({ path: '/held', query: { a: 'b' } }));
  });

  it('without them, Express gives each object its own', async () => {
    await serve({});
    await askTwice();
    const { bodies, same } = await askTwice();
    expect(same).to.deep.equal([false, false]);
    expect(bodies).to.deep.equal(Array(2).fill({ path: '/held', query: { a: 'b' } }));
  });
});
