import { once } from 'node:events';
import { type IncomingMessage, Agent, request } from 'node:http';
import { connect } from 'node:net';
import { expect } from 'chai';
import { eventually } from '../mocha/eventually.ts';
import type { Product } from './product.ts';

/**
 * Sends SIGTERM to a product while its web process serves a request, a stream and idle connections.
 * The request is answered, the others are closed, and the product exits with 0.
 * @param product logs at the level `info`
 * @param processes the number of processes called web
 */
export async function stopsInOrder(product: Product, processes: number): Promise<void> {
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
