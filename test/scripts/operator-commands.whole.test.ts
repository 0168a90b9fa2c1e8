import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { parseKeyring } from '../../core/secrets/keyring.ts';
import type { CreatedWorkspace } from '../../core/workspaces/workspaces.ts';
import { followEvents } from '../support/clients/event-stream.ts';
import { SmtpClient } from '../support/clients/smtp-client.ts';
import { inherited } from '../support/process/inherited.ts';
import { npmScript } from '../support/process/npm-script.ts';
import type { Product } from '../support/process/product.ts';
import { sharedProduct } from '../support/process/shared-product.ts';

describe('npm run, while the service runs', () => {
  let product: Product;
  /** The workspace of these tests, in their order. */
  let acme: CreatedWorkspace;
  before(async () => {
    product = await sharedProduct();
  });

  const run = (name: string, args: string[], input = '', env: Record<string, string> = {}) =>
    npmScript(name, args, {
      input,
      env: { ...inherited, HOME: process.env.HOME, DATA_DIR: product.dataDir, ...env },
    });
  const printed = async (name: string, ...args: string[]) => {
    const { status, stdout, stderr } = await run(name, args);
    expect(status, stderr).to.equal(0);
    return stdout;
  };
  const json = async (name: string, ...args: string[]) => {
    const text = await printed(name, ...args, '--json');
    expect(text).to.match(/^.*\n$/);
    return JSON.parse(text) as object;
  };
  const createMailbox = (token: string, name: string) =>
    product.ask('POST', '/mailboxes', { name }, token);
  const tokensOf = async (token: string) => {
    const { status, body } = await product.ask('GET', '/tokens', undefined, token);
    const ids = status === 200 && (JSON.parse(body.toString()) as { id: string }[]);
    return { status, ids: ids ? ids.map(({ id }) => id) : [] };
  };

  it('workspace:create prints one JSON object on one line, whose token is accepted', async () => {
    const args = ['--name', 'acme', '--domain', 'Acme.test', '--plan', 'pro'];
    acme = (await json('workspace:create', ...args)) as CreatedWorkspace;
    const keys = ['workspaceId', 'name', 'domain', 'plan', 'token'];
    expect(Object.keys(acme)).to.deep.equal(keys);
    expect(acme).to.include({ name: 'acme', domain: 'acme.test', plan: 'pro' });
    const { status, body } = await createMailbox(acme.token, 'first');
    expect(status).to.equal(201);
    expect(JSON.parse(body.toString())).to.include({ address: 'first@acme.test' });
  });

  it('workspace:list --json shows every workspace with its counts', async () => {
    const { workspaceId } = acme;
    const listed = (await json('workspace:list')) as { domain: string; createdAt: string }[];
    const { createdAt, ...facts } = listed.find(({ domain }) => domain === 'acme.test')!;
    expect(facts).to.deep.equal({
      ...{ workspaceId, name: 'acme', domain: 'acme.test', plan: 'pro', mailboxes: 1, tokens: 1 },
    });
    expect(new Date(createdAt).toISOString()).to.equal(createdAt);
  });

  it('workspace:plan takes effect at the next request', async () => {
    const { token, workspaceId, name, domain } = acme;
    const changed = await json('workspace:plan', '--domain', domain, '--plan', 'free');
    expect(changed).to.deep.equal({ workspaceId, name, domain, plan: 'free' });
    expect((await createMailbox(token, 'custom')).status).to.equal(403);
    const text = await printed('workspace:plan', '--domain', 'Acme.test', '--plan', 'pro');
    expect(text).to.equal(`Workspace  acme (${workspaceId}), plan pro\n`);
    expect((await createMailbox(token, 'custom')).status).to.equal(201);
  });

  it('token:create prints a token of the workspace, even after its last one was revoked', async () => {
    const { workspaceId, token: first } = acme;
    const [listed] = (await tokensOf(first)).ids;
    const revoked = await product.ask('DELETE', `/tokens/${listed}`, undefined, first);
    expect(revoked.status).to.equal(204);
    expect((await tokensOf(first)).status).to.equal(401);
    const made = await json('token:create', '--domain', 'Acme.test', '--name', 'new start');
    const { token, ...facts } = made as { token: string; id: string };
    expect(facts).to.deep.equal({
      ...{ id: facts.id, workspaceId, name: 'new start', role: 'admin' },
      ...{ expiresAt: null, mailboxes: null },
    });
    expect((await tokensOf(token)).ids).to.deep.equal([facts.id]);
    acme = { ...acme, token };
  });

  it('token:create prints text without --json, and creates a narrow token with the given role', async () => {
    const narrow = ['--expires-in', '60', '--mailbox', 'inbox', '--mailbox', 'run:7'];
    const args = ['--domain', 'mayfly.localhost', '--role', 'reader', ...narrow];
    const text = await printed('token:create', ...args);
    expect(text)
      .to.match(/^Expires +\d{4}-.*Z$/m)
      .and.match(/^Mailboxes +inbox, run:7$/m);
    const token = /^Token +(mf_\w{43})$/m.exec(text)?.[1] ?? '';
    expect((await tokensOf(token)).status).to.equal(403);
  });

  it('workspace:delete asks for the domain, deletes nothing for other input, and then all at once', async () => {
    const { domain, token } = acme;
    const replyToRecipient = async () => {
      const client = await SmtpClient.open(product.smtpPort);
      const [, reply] = await client.envelope('a@b.test', `first@${domain}`);
      await client.quit();
      return reply?.code;
    };
    for (const answer of ['', 'other.test\n']) {
      const ended = await run('workspace:delete', ['--domain', domain], answer);
      expect([ended.status, ended.stdout]).to.deep.equal([1, '']);
      expect(ended.stderr).to.include('Type acme.test to confirm: ');
      expect(ended.stderr).to.include('mayfly: Nothing was deleted');
    }
    expect(await replyToRecipient()).to.equal(250);
    const headers = { Authorization: `Bearer ${token}` };
    const stream = await followEvents(`${product.apiUrl}/events`, headers);
    await stream.next();
    const { stdout, stderr } = await run('workspace:delete', ['--domain', domain], `${domain}\n`);
    expect(stdout, stderr).to.match(/^Deleted {4}acme \(wsp_\w+\): 2 mailboxes, 1 tokens\n$/);
    expect(await replyToRecipient()).to.equal(550);
    expect((await createMailbox(token, 'again')).status).to.equal(401);
    await stream.ended;
  });

  it('workspace:create prints text without --json, for a Pro workspace without --plan, which --yes deletes', async () => {
    const created = await printed('workspace:create', '--name', 'own', '--domain', 'own.test');
    const [, workspaceId] = /^Workspace +own \((wsp_\w+)\), plan pro$/m.exec(created) ?? [];
    expect(created).to.match(/^Token +mf_\w{43}$/m);
    const deleted = await json('workspace:delete', '--domain', 'own.test', '--yes');
    expect(deleted).to.deep.equal({
      ...{ workspaceId, name: 'own', domain: 'own.test', plan: 'pro', mailboxes: 0, tokens: 1 },
    });
    expect(await printed('workspace:list'))
      .to.match(/^DOMAIN +NAME +PLAN +MAILBOXES +TOKENS\n/)
      .and.match(/^mayfly\.localhost +mayfly +pro +\d+ +\d+$/m)
      .and.not.match(/^(?:acme|own)\.test/m);
  });

  it('workspace:create creates a Free workspace without --plan in production', async () => {
    const env = {
      NODE_ENV: 'production',
      ENCRYPTION_KEYS: (await readFile(join(product.dataDir, 'encryption-keys'), 'utf8')).trim(),
      REDIS_URL: join(product.dataDir, 'redis/redis.sock'),
    };
    const args = ['--name', 'free', '--domain', 'free.test', '--json'];
    const { stdout, stderr } = await run('workspace:create', args, '', env);
    expect(JSON.parse(stdout || stderr)).to.include({ plan: 'free' });
  });

  for (const [text, name, ...args] of [
    [/^mayfly: .* belongs to another/, 'workspace:create', '--name=x', '--domain=mayfly.localhost'],
    [
      /^mayfly: No workspace has the domain "x.test"\.\n$/,
      'token:create',
      '--domain=x.test',
      '--json',
    ],
    [/^mayfly: --domain is required\nusage: npm run token:create /, 'token:create'],
  ] as const) {
    it(`${[name, ...args].join(' ')} prints an error to stderr and exits with 1`, async () => {
      const { stdout, stderr, status } = await run(name, args.slice());
      expect([status, stdout]).to.deep.equal([1, '']);
      expect(stderr).to.match(text);
    });
  }

  it('keys:create prints the secrets for production, different ones each time', async () => {
    const [one, other] = [await printed('keys:create'), await printed('keys:create')];
    const lines = one.trimEnd().split('\n');
    const [keys, password] = lines.map((line) => line.split(/=(.*)/));
    expect([keys![0], password![0]]).to.deep.equal(['ENCRYPTION_KEYS', 'OPERATOR_PASSWORD']);
    expect(parseKeyring(keys![1]!)).to.have.length(1);
    expect(password![1]).to.match(/^[\w-]{32}$/);
    for (const secret of [keys![1]!, password![1]!]) expect(other).not.to.contain(secret);
  });
});
