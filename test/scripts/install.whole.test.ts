import { expect } from 'chai';
import { installOn } from '../support/process/bare-machine.ts';

const NPM_CI = 'npm ci --include=dev';
const FETCH_NODE = 'npm ci --ignore-scripts --no-audit --no-fund';
const BY_APT = [
  'apt-get update',
  'apt-get install -y --no-install-recommends -o DPkg::Lock::Timeout=120',
];
const NO_FETCHED_NODE = { '.node/default': null, 'node_modules/.bin/node': null };

describe('scripts/install', () => {
  for (const root of [true, false]) {
    it(`needs npm alone, as ${root ? 'root' : 'another user'}`, async () => {
      const { status, output, calls, links } = await installOn({ root });
      expect(status, output).to.equal(0);
      expect(calls).to.deep.equal([NPM_CI]);
      expect(links).to.deep.equal(NO_FETCHED_NODE);
      expect(output).to.match(/^mayfly: installed the npm packages .* in \d+ s$/m);
    });
  }

  it('fetches Node.js where the machine has an old one, without root', async () => {
    const { status, output, calls, links } = await installOn({ root: false, oldNode: true });
    expect(status, output).to.equal(0);
    expect(calls).to.have.members([FETCH_NODE, NPM_CI]);
    expect(links).to.deep.equal({
      '.node/default': '22',
      'node_modules/.bin/node': '../../.node/default/bin/node',
    });
    expect(output).to.include('installing Node.js 22 for this checkout (the machine has v20.20.2)');
  });

  it('keeps the fetched Node.js if a script of npm runs on it', async () => {
    const { status, output, calls, links } = await installOn({
      root: false,
      oldNode: true,
      again: true,
    });
    expect(status, output).to.equal(0);
    expect(calls).to.have.members([FETCH_NODE, NPM_CI]);
    expect(links['.node/default']).to.equal('22');
  });

  it('fetches the Node.js that MAYFLY_NODE names, beside the default one', async () => {
    const { status, output, calls, links } = await installOn({
      root: false,
      env: { MAYFLY_NODE: '24' },
    });
    expect(status, output).to.equal(0);
    expect(calls).to.have.members([FETCH_NODE, NPM_CI]);
    expect(links).to.deep.equal(NO_FETCHED_NODE);
  });

  it('refuses a MAYFLY_NODE of which no version is pinned', async () => {
    const { status, output, calls } = await installOn({ root: false, env: { MAYFLY_NODE: '18' } });
    expect(status).to.equal(1);
    expect(output).to.equal(
      'mayfly: MAYFLY_NODE=18 is not supported. scripts/node-versions contains the supported versions.\n',
    );
    expect(calls).to.deep.equal([]);
  });

  it('says when npm has no Node.js that runs on the machine', async () => {
    const { status, output } = await installOn({
      root: false,
      oldNode: true,
      env: { FITTING_NODE: '/nowhere' },
    });
    expect(status).to.equal(1);
    expect(output).to.include('Install Node.js 22.18 or newer and start again.');
  });

  it('shows the output of npm when it fails', async () => {
    const { status, output, calls } = await installOn({
      root: true,
      npm: 'echo "npm error code EUSAGE"; exit 3',
    });
    expect(status).to.equal(1);
    expect(output)
      .to.include('npm error code EUSAGE')
      .and.include('npm ci failed with exit code 3');
    expect(calls).to.deep.equal([NPM_CI]);
  });

  it('tries again once after a fault of the network', async () => {
    const { status, output, calls } = await installOn({
      root: true,
      npm: '[ -e tried ] || { echo >tried; echo "npm error code ECONNRESET"; exit 1; }',
    });
    expect(status, output).to.equal(0);
    expect(calls).to.deep.equal([NPM_CI, NPM_CI]);
    expect(output).to.include('npm ci failed because of a network error. Retrying in 5 s.');
  });

  it('installs the programs that are asked for, as root', async () => {
    const { status, output, calls } = await installOn({ root: true }, 'redis-server');
    expect(status, output).to.equal(0);
    const [update, install] = BY_APT;
    expect(calls).to.have.members([update, `${install} redis-server`, NPM_CI]);
  });

  it('names the programs that are missing, as another user, and installs nothing', async () => {
    const { status, output, calls } = await installOn({ root: false }, 'redis-server');
    expect(status).to.equal(1);
    expect(output).to.equal(
      'mayfly: Not installed: redis-server. Install what is missing (on Debian: sudo apt-get install redis-server) and start again.\n',
    );
    expect(calls).to.deep.equal([]);
  });
});
