/**
 * The same load on a peer, and the ratio. The durability guarantee behind the peer's 250 may
 * differ.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { benchMail } from '../../load/mails.ts';
import { allVisible } from '../../load/mailboxes.ts';
import { type Process, processesBelow, processesOf } from '../accounting/processes.ts';
import { cpuAMail, showCpu, usageOf } from '../accounting/usage.ts';
import { type Figure, median, perSecond, times } from '../figures.ts';
import { askLoad } from '../../load/http.ts';
import { settings } from '../settings.ts';
import { type Target, onProduct } from '../target.ts';
import { sendLoad } from '../../load/smtp.ts';

const RUNS = 3;
const CLIENTS = 16;
const COST_MAILS = 3000;
/** For what a peer does after its 250. */
const PEER_SETTLED_MS = 1000;

export async function peerFigures(): Promise<Figure[]> {
  const { smtp, list } = settings.peer;
  if (smtp === null && list === null) return [];
  return onProduct(async (target) => [
    ...(smtp === null ? [] : await intakeBeside(target, smtp)),
    ...(list === null ? [] : await listBeside(target, new URL(list))),
  ]);
}

async function intakeBeside(target: Target, peer: string): Promise<Figure[]> {
  const { smtpPort, domain, rest } = target;
  await rest.createMailbox('peer');
  const peerPort = Number(peer.split(':').at(-1));
  const rate = async (port: number, recipient: string, newConnectionEach: boolean) => {
    const body = benchMail(2048);
    const load = { port, connections: 20, mails: 3000, body, newConnectionEach };
    const send = () => sendLoad({ ...load, recipient: () => recipient });
    return median(await times(RUNS, () => perSecond(load.mails, send)));
  };
  const compared = async (work: string, newConnectionEach: boolean) =>
    compare(
      work,
      await rate(smtpPort, `peer@${domain}`, newConnectionEach),
      await rate(peerPort, settings.peer.recipient, newConnectionEach),
    );
  return [
    await compared('2 KB accepted, 20 kept connections', false),
    ...(await costBeside(target, peerPort, false)),
    await compared('2 KB accepted, a connection each', true),
    ...(await costBeside(target, peerPort, true)),
  ];
}

/** CPU time of Mayfly and of the peer for the same mails, until Mayfly shows them. */
async function costBeside(
  { smtpPort, domain, rest, product }: Target,
  peerPort: number,
  newConnectionEach: boolean,
): Promise<Figure[]> {
  const { pid, recipient } = settings.peer;
  if (pid === null) return [];
  const name = `cost-${Date.now()}`;
  await rest.createMailbox(name);
  const cost = async (
    processes: () => Promise<Process[]>,
    to: { port: number; recipient: string },
    settled: () => Promise<unknown>,
  ) => {
    const before = await usageOf(await processes());
    const load = { connections: 20, mails: COST_MAILS, body: benchMail(2048), newConnectionEach };
    await sendLoad({ ...load, port: to.port, recipient: () => to.recipient });
    await settled();
    return cpuAMail(before, await usageOf(await processes()), COST_MAILS);
  };
  const ours = await cost(
    () => processesOf(product),
    { port: smtpPort, recipient: `${name}@${domain}` },
    () => allVisible(rest, [name], COST_MAILS),
  );
  const theirs = await cost(
    () => processesBelow(pid, 'peer'),
    { port: peerPort, recipient },
    () => delay(PEER_SETTLED_MS),
  );
  const kind = newConnectionEach ? 'a connection each' : 'kept connections';
  return [
    { work: `CPU a mail, ${kind}`, result: showCpu(ours), values: ours },
    { work: `CPU a mail, ${kind}, the peer`, result: showCpu(theirs), values: theirs },
  ];
}

async function listBeside(target: Target, peer: URL): Promise<Figure[]> {
  const rate = async (origin: string, token: string | null, path: string) => {
    const load = { origin, token, clients: CLIENTS, requests: 1000, path: () => path };
    return median(await times(RUNS, () => perSecond(load.requests, () => askLoad(load))));
  };
  const ours = await rate(target.origin, target.token, '/api/mailboxes/peer/messages?limit=100');
  const theirs = await rate(peer.origin, null, `${peer.pathname}${peer.search}`);
  return [compare('list of 100', ours, theirs)];
}

function compare(work: string, ours: number, theirs: number): Figure {
  return {
    work: `${work}, beside a peer`,
    result: `${ours.toFixed(0)}/s, the peer ${theirs.toFixed(0)}/s: ratio ${(ours / theirs).toFixed(2)}`,
    values: { ours, theirs },
  };
}
