import { expect } from 'chai';
import {
  type HeavyMailQueue,
  type HeavyMail,
  type ParseLane,
  openHeavyMailQueue,
} from '../../../core/ingest/heavy-mail-queue.ts';

const MIB = 1024 * 1024;

describe('heavy mail queue', () => {
  let line: HeavyMailQueue;
  /** Mails being parsed, in the order of their start. */
  let underWay: Map<string, () => void>;
  let requeued: string[];

  beforeEach(() => {
    line = openHeavyMailQueue(100, () => 0);
    underWay = new Map();
    requeued = [];
  });

  const enter = async (
    ingestId: string,
    { lane = 'quick', ...mail }: Partial<HeavyMail> & { lane?: ParseLane } = {},
  ) => {
    const workspaceIds = [ingestId.charAt(0)];
    const given = { ingestId, workspaceIds, size: MIB, isSuspect: false, ...mail };
    void line.acquire(given, lane).then((entry) => {
      if (entry.kind === 'turn') underWay.set(ingestId, entry.release);
      else requeued.push(ingestId);
    });
    await new Promise(setImmediate);
  };
  const leave = async (ingestId: string) => {
    underWay.get(ingestId)?.();
    underWay.delete(ingestId);
    await new Promise(setImmediate);
  };

  it('runs two turns concurrently', async () => {
    for (const id of ['a1', 'a2', 'a3']) await enter(id);
    expect([...underWay.keys()]).to.deep.equal(['a1', 'a2']);
    await leave('a1');
    expect([...underWay.keys()]).to.deep.equal(['a2', 'a3']);
  });

  it('runs the largest mail alone in the quick lane', async () => {
    for (const id of ['a1', 'b1', 'c1']) await enter(id, { size: 24 * MIB });
    expect([...underWay.keys()]).to.deep.equal(['a1']);
    await leave('a1');
    expect([...underWay.keys()]).to.deep.equal(['b1']);
  });

  it('prefers mail of another workspace to more of the same', async () => {
    for (let n = 1; n <= 9; n += 1) await enter(`a${n}`);
    await enter('b1', { size: 2 * MIB });
    await leave('a1');
    expect([...underWay.keys()]).to.deep.equal(['a2', 'b1']);
  });

  it('has a slow slot for a second workspace, however few jobs the worker runs', async () => {
    line = openHeavyMailQueue(10, () => 0);
    for (const id of ['a1', 'a2', 'b1']) await enter(id, { lane: 'slow' });
    expect([...underWay.keys()]).to.deep.equal(['a1']);
    expect(requeued).to.deep.equal(['a2']);
    await leave('a1');
    expect([...underWay.keys()]).to.deep.equal(['b1']);
  });

  it('runs one slow turn, and quick turns beside it', async () => {
    for (const id of ['a1', 'b1']) await enter(id, { lane: 'slow', size: 24 * MIB });
    for (const id of ['c1', 'c2']) await enter(id, { size: 24 * MIB });
    expect([...underWay.keys()]).to.deep.equal(['a1', 'c1']);
    await leave('c1');
    expect([...underWay.keys()]).to.deep.equal(['a1', 'c2']);
    await enter('c3');
    await leave('a1');
    expect([...underWay.keys()]).to.deep.equal(['c2', 'b1']);
  });

  it('requeues mail above the share of a workspace, and has slots for others', async () => {
    for (let n = 1; n <= 100; n += 1) await enter(`a${n}`);
    expect(requeued).to.have.length(90);
    expect(line.requeued('a100')).to.deep.equal(['a']);
    for (const id of ['b1', 'c1', 'd1']) await enter(id);
    expect(requeued).to.have.length(90);
  });

  it('counts mail for several workspaces for the one with the most slots', async () => {
    for (let n = 1; n <= 10; n += 1) await enter(`a${n}`);
    await enter('b1', { workspaceIds: ['b', 'a', 'c'] });
    expect(requeued).to.deep.equal(['b1']);
    await enter('b2', { workspaceIds: ['b', 'c'] });
    expect(requeued).to.deep.equal(['b1']);
  });

  it('runs one suspect at a time, and other mail beside it', async () => {
    await enter('a1', { isSuspect: true });
    await enter('b1', { isSuspect: true });
    expect([...underWay.keys()]).to.deep.equal(['a1']);
    await enter('c1');
    expect([...underWay.keys()]).to.deep.equal(['a1', 'c1']);
    await leave('c1');
    expect([...underWay.keys()]).to.deep.equal(['a1']);
    await leave('a1');
    expect([...underWay.keys()]).to.deep.equal(['b1']);
  });
});
