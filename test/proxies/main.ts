/**
 * `test/long proxies`: waits and streams through nginx and HAProxy. A wait of the longest
 * timeout is answered before the proxy gives up, a stream outlives that time, and a client that
 * leaves ends its wait in the service.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { followEvents } from '../support/clients/event-stream.ts';
import { eventually } from '../support/mocha/eventually.ts';
import { startProduct } from '../support/process/product.ts';
import { openProxy, proxies } from '../support/servers/proxies.ts';

const OPERATOR_PASSWORD = 'for the metrics';
const LONGEST_SECONDS = 55;
/** Longer than the proxies wait for a byte. */
const QUIET_MS = 70_000;
const WAITS = 200;
const BOX = '/api/mailboxes/box';

interface Answer {
  outcome: string;
  messages: { id: string }[];
}

const product = await startProduct({ WAITS_PER_WORKSPACE: '0', OPERATOR_PASSWORD });
const headers = { Authorization: `Bearer ${product.token}` };
try {
  for (const kind of Object.values(proxies)) {
    await product.rest.createMailbox('box');
    const proxy = await openProxy(kind, `127.0.0.1:${product.httpPort}`);
    try {
      const lines = await Promise.all([longestWait(proxy.origin), quietStream(proxy.origin)]);
      lines.push(await manyWaits(proxy.origin), await leavingClient(proxy.origin));
      process.stdout.write(lines.map((line) => `${kind.title}: ${line}\n`).join(''));
    } finally {
      await proxy.close();
    }
    await product.ask('DELETE', '/mailboxes/box');
  }
} finally {
  await product.stop();
}

async function ask(origin: string, query: string, signal?: AbortSignal): Promise<Answer> {
  const response = await fetch(`${origin}${BOX}/messages/wait?${query}`, {
    headers,
    ...(signal && { signal }),
  });
  if (response.status !== 200) throw new Error(`${query}: status ${response.status}`);
  return (await response.json()) as Answer;
}

async function longestWait(origin: string): Promise<string> {
  const began = performance.now();
  const { outcome } = await ask(origin, `subject=never&timeout=${LONGEST_SECONDS}`);
  const seconds = (performance.now() - began) / 1000;
  if (outcome !== 'timeout' || seconds < LONGEST_SECONDS)
    throw new Error(`${outcome} after ${seconds} s`);
  return `a wait of ${LONGEST_SECONDS} s is answered with "${outcome}"`;
}

/** The proxies close a connection without a byte within 60 s; the service sends comments. */
async function quietStream(origin: string): Promise<string> {
  const stream = await followEvents(`${origin}/api/events`, headers);
  const [ready] = await stream.next();
  if (ready?.type !== 'ready') throw new Error(`the stream began with ${String(ready?.type)}`);
  await delay(QUIET_MS);
  const arriving = stream.next();
  await send('after the quiet');
  const [event] = await arriving;
  stream.hangUp();
  if (event?.type !== 'message.received')
    throw new Error(`the stream continued with ${String(event?.type)}`);
  return `a stream delivers an event after ${QUIET_MS / 1000} s without one`;
}

async function manyWaits(origin: string): Promise<string> {
  const subjects = Array.from({ length: WAITS }, (_, n) => `many-${n}.`);
  const answers = subjects.map((subject) => ask(origin, `subject=${subject}&timeout=25`));
  await eventually('the waits to be open', async () => (await openWaits()) === WAITS);
  for (const subject of subjects) await send(subject);
  const matched = (await Promise.all(answers)).filter(({ outcome }) => outcome === 'matched');
  if (matched.length !== WAITS) throw new Error(`${WAITS - matched.length} waits missed a mail`);
  return `${WAITS} waits at once are answered, none misses its mail`;
}

async function leavingClient(origin: string): Promise<string> {
  const client = new AbortController();
  const waiting = ask(origin, 'subject=never&timeout=25', client.signal).catch(() => null);
  await eventually('the wait to be open', async () => (await openWaits()) === 1);
  client.abort();
  await waiting;
  await eventually('the wait to end', async () => (await openWaits()) === 0);
  return 'the wait of a client that leaves ends at once';
}

/** Number of waits in the web process, from its metrics. */
async function openWaits(): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${product.httpPort}/metrics`, {
    headers: { Authorization: `Basic ${btoa(`operator:${OPERATOR_PASSWORD}`)}` },
  });
  const [, count] = /^mayfly_waits\{.*\} (\d+)$/m.exec(await response.text()) ?? [];
  if (count === undefined) throw new Error('/metrics has no mayfly_waits');
  return Number(count);
}

async function send(subject: string): Promise<void> {
  const [reply] = await product.send('box', [`Subject: ${subject}\r\n\r\nx\r\n`]);
  if (reply?.code !== 250) throw new Error(`the mail was answered with ${reply?.code}`);
}
