import { expect } from 'chai';
import type { CreatedWorkspace } from '../../core/workspaces/workspaces.ts';
import { followEvents } from '../support/clients/event-stream.ts';
import { npmScript } from '../support/process/npm-script.ts';
import type { Product } from '../support/process/product.ts';
import { sharedProduct } from '../support/process/shared-product.ts';
import { SmtpClient } from '../support/clients/smtp-client.ts';
import { inherited } from '../support/process/inherited.ts';

describe('npm run, while the service runs', () => {
  let product: Product;
  before(async () => {
    product = await sharedProduct();
  });

  const script = (input: string, name: string, ...args: string[]) =>
    npmScript(name, args, {
      input,
      env: { ...inherited, HOME: process.env.HOME, DATA_DIR: product.dataDir },
    });
  const create = (domain: string) => {
    const { stdout } = script('', 'workspace:create', '--name', 'x', '--domain', domain, '--json');
    return JSON.parse(stdout) as CreatedWorkspace;
  };
  const list = () => JSON.parse(script('', 'workspace:list', '--json').stdout) as Listed[];
  const createMailbox = (token: string, name: string) =>
    product.ask('POST', '/mailboxes', { name }, token);
  const replyToRecipient = async (address: string) => {
    const client = await SmtpClient.open(product.smtpPort);
    const [, reply] = await client.envelope('a@b.test', address);
    await client.quit();
    return reply?.code;
  };

  it('workspace:list shows every workspace with its counts', async () => {
    const { token, workspaceId } = create('listed.test');
    expect((await createMailbox(token, 'one')).status).to.equal(201);
    const { createdAt, ...facts } = list().find(({ domain }) => domain === 'listed.test')!;
    const numbers = { mailboxes: 1, tokens: 1 };
    expect(facts).to.deep.equal({
      ...{ workspaceId, name: 'x', domain: 'listed.test', plan: 'pro', ...numbers },
    });
    expect(new Date(createdAt).toISOString()).to.equal(createdAt);
    expect(script('', 'workspace:list').stdout)
      .to.match(/^DOMAIN +NAME +PLAN +MAILBOXES +TOKENS\n/)
      .and.match(/^listed\.test +x +pro +1 +1$/m);
  });

  it('workspace:plan takes effect at the next request', async () => {
    const { token, workspaceId, name, domain } = create('plan.test');
    const { stdout } = script('', 'workspace:plan', '--domain', domain, '--plan', 'free', '--json');
    expect(JSON.parse(stdout)).to.deep.equal({ workspaceId, name, domain, plan: 'free' });
    expect((await createMailbox(token, 'custom')).status).to.equal(403);
    const text = script('', 'workspace:plan', '--domain', 'Plan.test', '--plan', 'pro').stdout;
    expect(text).to.equal(`Workspace  x (${workspaceId}), plan pro\n`);
    expect((await createMailbox(token, 'custom')).status).to.equal(201);
  });

  it('workspace:delete --yes ends addresses, tokens and streams at once', async () => {
    const { token, workspaceId, domain } = create('gone.test');
    expect((await createMailbox(token, 'box')).status).to.equal(201);
    expect(await replyToRecipient('box@gone.test')).to.equal(250);
    const stream = await followEvents(`${product.apiUrl}/events`, {
      Authorization: `Bearer ${token}`,
    });
    await stream.next();

    const { stdout, stderr } = script(
      '',
      'workspace:delete',
      '--domain',
      domain,
      '--yes',
      '--json',
    );
    expect(JSON.parse(stdout || stderr)).to.deep.equal({
      ...{ workspaceId, name: 'x', domain, plan: 'pro', mailboxes: 1, tokens: 1 },
    });
    expect(await replyToRecipient('box@gone.test')).to.equal(550);
    expect((await createMailbox(token, 'again')).status).to.equal(401);
    await stream.ended;
    expect(list().map((each) => each.domain)).not.to.include(domain);
  });

  it('workspace:delete asks for the domain, and deletes nothing for other input', () => {
    const { domain } = create('asked.test');
    for (const answer of ['', 'other.test\n']) {
      const { stdout, stderr, status } = script(answer, 'workspace:delete', '--domain', domain);
      expect([status, stdout]).to.deep.equal([1, '']);
      expect(stderr).to.include('Type asked.test to confirm: ');
      expect(stderr).to.include('mayfly: Nothing was deleted');
    }
    expect(list().map((each) => each.domain)).to.include(domain);
    const { stdout, status } = script('asked.test\n', 'workspace:delete', '--domain', domain);
    expect(status).to.equal(0);
    expect(stdout).to.match(/^Deleted {4}x \(wsp_\w+\): 0 mailboxes, 1 tokens\n$/);
  });

  for (const [name, args, text] of [
    ['workspace:plan', ['--domain', 'x.test'], '--plan is required'],
    ['workspace:plan', ['--domain', 'x.test', '--plan', 'gold'], '--plan must be free or pro'],
    ['workspace:plan', ['--domain', 'x.test', '--plan', 'pro'], 'No workspace has the domain'],
    ['workspace:delete', ['--yes'], '--domain is required'],
    ['workspace:delete', ['--domain', 'x.test', '--yes'], 'No workspace has the domain'],
    ['workspace:list', ['--all'], "Unknown option '--all'"],
  ] as const) {
    it(`${name} ${args.join(' ')} exits with 1 and prints: ${text}`, () => {
      const { stdout, stderr, status } = script('', name, ...args);
      expect([status, stdout]).to.deep.equal([1, '']);
      expect(stderr)
        .to.match(/^mayfly: /)
        .and.include(text);
    });
  }
});

interface Listed {
  workspaceId: string;
  domain: string;
  createdAt: string;
}
