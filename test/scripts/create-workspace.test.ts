import { type SpawnSyncReturns, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import type { CreatedWorkspace } from '../../core/workspaces.js';
import { type Product, startProduct } from '../support/product.js';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

describe('npm run workspace:create', function () {
  this.timeout(60_000);

  let product: Product;
  before(async () => {
    product = await startProduct();
  });
  after(() => product.stop());

  const create = (...args: string[]): SpawnSyncReturns<string> =>
    spawnSync('npm', ['run', '--silent', 'workspace:create', '--', ...args], {
      cwd: ROOT,
      encoding: 'utf8',
      env: { PATH: process.env.PATH, HOME: process.env.HOME, DATA_DIR: product.dataDir },
    });

  it('prints one JSON object on one line, beside a running service that takes the token', async () => {
    const { stdout, status } = create(
      '--name',
      'acme',
      '--domain',
      'Acme.test',
      '--plan',
      'pro',
      '--json',
    );
    expect(status).to.equal(0);
    expect(stdout).to.match(/^\{.*\}\n$/);
    const created = JSON.parse(stdout) as CreatedWorkspace;
    expect(Object.keys(created)).to.deep.equal(['workspaceId', 'name', 'domain', 'plan', 'token']);
    expect(created).to.include({ name: 'acme', domain: 'acme.test', plan: 'pro' });

    const reply = await fetch(`${product.apiUrl}/mailboxes`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${created.token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ name: 'first' }),
    });
    expect(reply.status).to.equal(201);
    expect(await reply.json()).to.include({ address: 'first@acme.test' });
  });

  it('prints lines to read without --json, and makes a Free workspace without --plan', () => {
    const { stdout, status } = create('--name', 'free', '--domain', 'free.test');
    expect(status).to.equal(0);
    expect(stdout).to.match(/^Workspace +free \(wsp_\w+\), plan free$/m);
    expect(stdout).to.match(/^Token +mf_\w{43}$/m);
  });

  const faults: [string, string[], string][] = [
    [
      'a domain that is taken',
      ['--name', 'x', '--domain', 'mayfly.localhost'],
      'belongs to another workspace',
    ],
    ['what is no domain', ['--name', 'x', '--domain', 'a..b'], '"a..b" is not a domain name'],
    [
      'a plan there is not',
      ['--name', 'x', '--domain', 'x.test', '--plan', 'gold'],
      '--plan must be free or pro',
    ],
    ['missing options', [], '--name and --domain must be given'],
    ['an unknown option', ['--nmae', 'x'], "Unknown option '--nmae'"],
  ];
  for (const [what, args, text] of faults) {
    it(`says so on stderr and exits with 1 for ${what}`, () => {
      const { stdout, stderr, status } = create(...args, '--json');
      expect(status).to.equal(1);
      expect(stdout).to.equal('');
      expect(stderr)
        .to.match(/^mayfly: /)
        .and.include(text);
    });
  }
});
