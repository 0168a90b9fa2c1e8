import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import {
  ChildDeath,
  type ChildProcesses,
  ChildTimeout,
  openChildProcesses,
} from '../../../core/mime/child-processes.js';
import { rejectionCodes } from '../../support/mocha/rejection.js';

const SPEC = {
  script: fileURLToPath(new URL('../../support/process/call-child.js', import.meta.url)),
  heapMb: 64,
  idleMs: 60_000,
  env: {},
};

describe('child processes', () => {
  let children: ChildProcesses;
  beforeEach(() => {
    children = openChildProcesses(SPEC);
  });
  afterEach(() => {
    children.close();
  });
  const pid = () => children.run<number>({ what: 'pid' }, { withinMs: 20_000 });
  const failure = (what: string, withinMs = 20_000) =>
    children.run({ what }, { withinMs }).catch((error: unknown) => error);

  it('run calls side by side, and one after the other in the same child', async () => {
    const first = await Promise.all([pid(), pid()]);
    expect(new Set(first).size).to.equal(2);
    expect(first).to.include(await pid());
    expect(first).to.include(await pid());
  });

  it('are not given a call once they have ended while idle', async () => {
    const first = await pid();
    process.kill(first, 'SIGKILL');
    const next = await Promise.all([pid(), pid()]); // their end is not known here yet
    expect(next).to.not.include(first);
  });

  it('are not given a call while they are ending after their idle time', async () => {
    children.close();
    children = openChildProcesses({ ...SPEC, idleMs: 1 });
    const first = await pid();
    await new Promise((resolve) => setTimeout(resolve, 1)); // fires after the timer of the child
    expect(await pid()).to.not.equal(first);
  });

  it('end when a call exceeds its time', async () => {
    const first = await pid();
    expect(await failure('hang', 1)).to.be.instanceOf(ChildTimeout);
    expect(await pid()).to.not.equal(first);
  });

  it('may end during a call, which is told apart from a call that fails', async () => {
    expect(await failure('end')).to.be.instanceOf(ChildDeath);
    const first = await pid();
    expect(String(await failure('fail'))).to.contain('the call failed');
    expect(await pid()).to.equal(first);
  });

  it('tell what they do', async () => {
    const phases: string[] = [];
    const onPhase = (phase: string) => phases.push(phase);
    await children.run({ what: 'pid' }, { withinMs: 20_000, onPhase });
    expect(phases).to.deep.equal(['pid']);
  });

  it('are unavailable where none can be started', async () => {
    const script = `${SPEC.script}.absent`;
    children = openChildProcesses({ ...SPEC, script });
    expect(await rejectionCodes([pid])).to.deep.equal(['unavailable']);
  });
});
