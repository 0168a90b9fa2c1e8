import type { SpawnSyncReturns } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { parseKeyring } from '../../core/secrets/keyring.ts';
import type { CreatedWorkspace } from '../../core/workspaces/workspaces.ts';
import type { ApiAnswer } from '../support/clients/rest-client.ts';
import { npmScript } from '../support/process/npm-script.ts';
import type { Product } from '../support/process/product.ts';
import { sharedProduct } from '../support/process/shared-product.ts';
import { inherited } from '../support/process/inherited.ts';

describe('npm run', () => {
  let product: Product;
  before(async () => {
    product = await sharedProduct();
  });

  const script = (name: string, ...args: string[]): SpawnSyncReturns<string> =>
    scriptWith({}, name, ...args);
  const scriptWith = (env: Record<string, string>, name: string, ...args: string[]) =>
    npmScript(name, args, {
      env: { ...inherited, HOME: process.env.HOME, DATA_DIR: product.dataDir, ...env },
    });
  const create = (...args: string[]) => script('workspace:create', ...args);

  describe('workspace:create', () => {
    it('prints one JSON object on one line while the service runs, which accepts the token', async () => {
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
      expect(Object.keys(created)).to.deep.equal([
        'workspaceId',
        'name',
        'domain',
        'plan',
        'token',
      ]);
      expect(created).to.include({ name: 'acme', domain: 'acme.test', plan: 'pro' });

      const reply = await product.ask('POST', '/mailboxes', { name: 'first' }, created.token);
      expect(reply.status).to.equal(201);
      expect(JSON.parse(reply.body.toString())).to.include({ address: 'first@acme.test' });
    });

    it('prints text without --json, and creates a Pro workspace without --plan', () => {
      const { stdout, status } = create('--name', 'own', '--domain', 'own.test');
      expect(status).to.equal(0);
      expect(stdout).to.match(/^Workspace +own \(wsp_\w+\), plan pro$/m);
      expect(stdout).to.match(/^Token +mf_\w{43}$/m);
    });

    it('creates a Free workspace without --plan in production', async () => {
      const env = {
        NODE_ENV: 'production',
        ENCRYPTION_KEYS: (await readFile(join(product.dataDir, 'encryption-keys'), 'utf8')).trim(),
        REDIS_URL: join(product.dataDir, 'redis/redis.sock'),
      };
      const args = ['--name', 'free', '--domain', 'free.test', '--json'];
      const { stdout, stderr } = scriptWith(env, 'workspace:create', ...args);
      expect(JSON.parse(stdout || stderr)).to.include({ plan: 'free' });
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
      ['missing options', [], 'missing option: --name, --domain'],
      ['an unknown option', ['--nmae', 'x'], "Unknown option '--nmae'"],
    ];
    for (const [what, args, text] of faults) {
      it(`prints an error to stderr and exits with 1 for ${what}`, () => {
        const { stdout, stderr, status } = create(...args, '--json');
        expect(status).to.equal(1);
        expect(stdout).to.equal('');
        expect(stderr)
          .to.match(/^mayfly: /)
          .and.include(text);
      });
    }
  });

  describe('token:create', () => {
    const idsIn = ({ body }: ApiAnswer) =>
      (JSON.parse(body.toString()) as { id: string }[]).map(({ id }) => id);
    const grant = (...args: string[]) => script('token:create', ...args);
    const tokens = (token: string) => product.ask('GET', '/tokens', undefined, token);

    it('prints a token of the workspace, even after its last one was revoked', async () => {
      const first = JSON.parse(
        create('--name', 'lost', '--domain', 'lost.test', '--json').stdout,
      ) as CreatedWorkspace;
      const [listed] = idsIn(await tokens(first.token));
      const revoked = await product.ask('DELETE', `/tokens/${listed}`, undefined, first.token);
      expect(revoked.status).to.equal(204);
      expect((await tokens(first.token)).status).to.equal(401);

      const { stdout, status } = grant('--domain', 'Lost.test', '--name', 'new start', '--json');
      expect(status).to.equal(0);
      expect(stdout).to.match(/^\{.*\}\n$/);
      const { token, ...facts } = JSON.parse(stdout) as { token: string; id: string };
      const { workspaceId } = first;
      expect(facts).to.deep.equal({
        ...{ id: facts.id, workspaceId, name: 'new start', role: 'admin' },
        ...{ expiresAt: null, mailboxes: null },
      });
      expect(idsIn(await tokens(token))).to.deep.equal([facts.id]);
    });

    it('prints text without --json, and creates a narrow token with the given role', async () => {
      const narrow = ['--expires-in', '60', '--mailbox', 'inbox', '--mailbox', 'run:7'];
      const { stdout } = grant('--domain', 'mayfly.localhost', '--role', 'reader', ...narrow);
      expect(stdout)
        .to.match(/^Expires +\d{4}-.*Z$/m)
        .and.match(/^Mailboxes +inbox, run:7$/m);
      const token = /^Token +(mf_\w{43})$/m.exec(stdout)?.[1] ?? '';
      expect((await tokens(token)).status).to.equal(403);
    });

    it('prints an error to stderr and exits with 1 for an unknown domain', () => {
      const { stdout, stderr, status } = grant('--domain', 'x.test', '--json');
      expect([status, stdout]).to.deep.equal([1, '']);
      expect(stderr).to.equal('mayfly: No workspace has the domain "x.test".\n');
    });

    it('prints the usage and exits with 1', () => {
      const { stdout, stderr, status } = grant();
      expect([status, stdout]).to.deep.equal([1, '']);
      expect(stderr).to.match(/^mayfly: --domain is required\nusage: npm run token:create /);
    });
  });

  it('keys:create prints the secrets for production, different ones each time', () => {
    const [one, other] = [script('keys:create').stdout, script('keys:create').stdout];
    const [keys, password] = one
      .trimEnd()
      .split('\n')
      .map((line) => line.split(/=(.*)/));
    expect([keys![0], password![0]]).to.deep.equal(['ENCRYPTION_KEYS', 'OPERATOR_PASSWORD']);
    expect(parseKeyring(keys![1]!)).to.have.length(1);
    expect(password![1]).to.match(/^[\w-]{32}$/);
    for (const secret of [keys![1]!, password![1]!]) expect(other).not.to.contain(secret);
  });
});
