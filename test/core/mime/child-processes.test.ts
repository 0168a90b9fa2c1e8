import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import {
  ChildDeath,
  type ChildProcesses,
  ChildTimeout,
  openChildProcesses,
} from '../../../core/mime/child-processes.ts';
import { rejectionCodes } from '../../support/mocha/rejection.ts';

const SPEC = {
  script: fileURLToPath(new URL('../../support/process/call-child.ts', import.meta.url)),
  heapMb: 64,
  idleMs: 60_000,
  env: {},
};

describe('child processes', () => {
  const children = openChildProcesses(SPEC);
  after(() => {
    children.close();
  });
  const pid = (of: ChildProcesses = children) =>
    of.run<number>({ what: 'pid' }, { withinMs: 20_000 });
  const failure = (what: string, withinMs = 20_000) =>
    children.run({ what }, { withinMs }).catch((error: unknown) => error);

  it('run calls concurrently, and successively in the same child', async () => {
    const first = await Promise.all([pid(), pid()]);
    expect(new Set(first).size).to.equal(2);
    expect(first).to.include(await pid());
    expect(first).to.include(await pid());
  });

  it('are not used for a call after they exited while idle', async () => {
    const first = await pid();
    process.kill(first, 'SIGKILL');
    const next = await Promise.all([pid(), pid()]); // their exit is not detected yet
    expect(next).to.not.include(first);
  });

  it('are not used for a call while they end after their idle time', async () => {
    const brief = openChildProcesses({ ...SPEC, idleMs: 1 });
    const first = await Promise.all([pid(brief), pid(brief)]);
    // Timers of one duration fire in the order in which they were set: those of the children first.
    await new Promise((resolve) => setTimeout(resolve, 1));
    const next = await Promise.all([pid(brief), pid(brief)]);
    expect(new Set([...first, ...next]).size).to.equal(4);
    brief.close();
  });

  it('are killed if a call exceeds its time', async () => {
    const first = await pid();
    expect(await failure('hang', 1)).to.be.instanceOf(ChildTimeout);
    expect(await pid()).to.not.equal(first);
  });

  it('can exit during a call, which is distinct from a failed call', async () => {
    expect(await failure('end')).to.be.instanceOf(ChildDeath);
    const first = await pid();
    expect(String(await failure('fail'))).to.contain('the call failed');
    expect(await pid()).to.equal(first);
  });

  it('report their phase', async () => {
    const phases: string[] = [];
    const onPhase = (phase: string) => phases.push(phase);
    await children.run({ what: 'pid' }, { withinMs: 20_000, onPhase });
    expect(phases).to.deep.equal(['pid']);
  });

  it('are unavailable if none can be started', async () => {
    const script = `${SPEC.script}.absent`;
    const none = openChildProcesses({ ...SPEC, script });
    expect(await rejectionCodes([() => pid(none)])).to.deep.equal(['unavailable']);
  });
});
