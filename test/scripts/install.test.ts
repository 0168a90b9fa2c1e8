import { expect } from 'chai';
import { installOn } from '../support/process/bare-machine.js';

const NPM_CI = 'npm ci --include=dev';
const COMPILERS = ['python3', 'make', 'g++'];
/** npm without a prebuilt better-sqlite3 for the platform. */
const COMPILES = `for name in ${COMPILERS.join(' ')}; do
  command -v $name >/dev/null || { echo "npm error gyp ERR! not found: $name"; exit 1; }
done`;
const BY_APT = ['apt-get update', `apt-get install -y --no-install-recommends`];

describe('scripts/install', () => {
  for (const root of [true, false]) {
    const who = root ? 'root' : 'another user';
    it(`asks for no compiler where npm needs none, as ${who}`, async () => {
      const { status, output, calls } = await installOn({ root, npm: '' });
      expect(status, output).to.equal(0);
      expect(calls).to.deep.equal([NPM_CI]);
    });
  }

  it('installs the compilers once npm has failed for want of them, as root', async () => {
    const { status, output, calls } = await installOn({ root: true, npm: COMPILES });
    expect(status, output).to.equal(0);
    const [update, install] = BY_APT;
    expect(calls).to.deep.equal([NPM_CI, update, `${install} ${COMPILERS.join(' ')}`, NPM_CI]);
  });

  it('installs only the compilers that are missing', async () => {
    const machine = { root: true, npm: COMPILES, programs: ['python3', 'make'] };
    const { status, output, calls } = await installOn(machine);
    expect(status, output).to.equal(0);
    expect(calls).to.include(`${BY_APT[1]} g++`);
  });

  it('names the compilers that npm has failed for want of, as another user', async () => {
    const { status, output, calls } = await installOn({ root: false, npm: COMPILES });
    expect(status).to.equal(1);
    expect(calls).to.deep.equal([NPM_CI]);
    expect(output).to.include('no prebuilt better-sqlite3 could be had').and.not.include('gyp');
    expect(output).to.match(
      /^mayfly: This is missing: python3 make g\+\+\. Install it \(on Debian: sudo apt-get install python3 make g\+\+\)/m,
    );
  });

  for (const [what, machine] of Object.entries({
    'for another reason': { npm: 'echo "npm error network"; exit 3' },
    'to compile with all it needs': {
      npm: 'echo "npm error gyp ERR! build error"; exit 3',
      programs: COMPILERS,
    },
  })) {
    it(`shows what npm said when it failed ${what}, and tries nothing else`, async () => {
      const { status, output, calls } = await installOn({ root: true, ...machine });
      expect(status).to.equal(1);
      expect(output).to.include('npm error').and.include('npm ci failed with exit code 3');
      expect(calls).to.deep.equal([NPM_CI]);
    });
  }

  it('installs the programs that are asked for before the packages', async () => {
    const { status, output, calls } = await installOn({ root: true, npm: '' }, 'redis-server');
    expect(status, output).to.equal(0);
    const [update, install] = BY_APT;
    expect(calls).to.deep.equal([update, `${install} redis-server`, NPM_CI]);
  });
});
