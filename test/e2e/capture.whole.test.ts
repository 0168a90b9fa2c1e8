import { once } from 'node:events';
import { spawn } from 'node:child_process';
import { expect } from 'chai';
import { isLongForm } from '../support/mocha/long-form.ts';
import { eventually } from '../support/mocha/eventually.ts';
import { SmtpClient } from '../support/clients/smtp-client.ts';
import type { Product } from '../support/process/product.ts';
import { sharedProduct } from '../support/process/shared-product.ts';
import { inherited } from '../support/process/inherited.ts';

const MAILS = isLongForm ? 1000 : 100;
const CONNECTIONS = 4;

interface Credential {
  username: string;
  password: string;
}

interface Message {
  subject: string;
  envelope: { to: string[] };
}

interface Workspace {
  domain: string;
  token: string;
}

describe('two workspaces that send to addresses of each other with their credentials', () => {
  let product: Product;
  let workspaces: [Workspace, Workspace];

  const call = async <Answer>({ token }: Workspace, path: string, body?: object) => {
    const response = await fetch(`${product.apiUrl}${path}`, {
      ...(body ? { method: 'POST', body: JSON.stringify(body) } : {}),
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as Answer;
  };
  const messagesOf = async (workspace: Workspace, name: string) => {
    const all: Message[] = [];
    let after: string | null = '';
    while (after !== null) {
      const page: { messages: Message[]; nextCursor: string | null } = await call(
        workspace,
        `/mailboxes/${name}/messages?view=summary&limit=100${after && `&after=${after}`}`,
      );
      all.push(...page.messages);
      after = page.nextCursor;
    }
    return all;
  };

  before(async () => {
    product = await sharedProduct();
    const own = { domain: product.domain, token: product.token! };
    workspaces = [own, await createWorkspace(product, 'capture.test')];
    for (const workspace of workspaces) {
      for (const name of ['catcher', 'target']) await call(workspace, '/mailboxes', { name });
    }
  });

  it(`keeps ${MAILS} mails of each in the workspace that sends them`, async () => {
    await Promise.all(
      workspaces.map(async (workspace, own) => {
        const { domain } = workspaces[1 - own]!;
        const made = await call<Credential>(workspace, '/mailboxes/catcher/smtp-credentials', {
          name: 'app',
        });
        const login = Buffer.from(`\0${made.username}\0${made.password}`).toString('base64');
        await Promise.all(
          Array.from({ length: CONNECTIONS }, async (_, lane) => {
            const client = await SmtpClient.open(product.smtpPort);
            expect((await client.command(`AUTH PLAIN ${login}`)).code).to.equal(235);
            for (let n = lane; n < MAILS; n += CONNECTIONS) {
              const to = [`target@${domain}`, `unknown-${n}@${domain}`];
              const data = Buffer.from(`Subject: from ${own}\r\n\r\n${n}\r\n`);
              const { code } = await client.send({ from: 'app@client.example', to, data });
              expect(code).to.equal(250);
            }
            await client.quit();
          }),
        );
      }),
    );
    for (const [own, workspace] of workspaces.entries()) {
      const { domain } = workspaces[1 - own]!;
      const caught = await eventually('all mails', async () => {
        const found = await messagesOf(workspace, 'catcher');
        return found.length >= MAILS ? found : null;
      });
      expect(caught).to.have.length(MAILS);
      expect([...new Set(caught.map(({ subject }) => subject))]).to.eql([`from ${own}`]);
      const recipients = new Set(caught.flatMap(({ envelope }) => envelope.to));
      expect(recipients.size).to.equal(MAILS + 1);
      expect([...recipients].every((address) => address.endsWith(`@${domain}`))).to.equal(true);
      expect(await messagesOf(workspace, 'target'), 'the exact address').to.eql([]);
    }
  });
});

/** Creates a workspace as an operator does, with the command. */
async function createWorkspace(product: Product, domain: string): Promise<Workspace> {
  const child = spawn(
    process.execPath,
    ['dist/scripts/cli/create-workspace.js', '--name', 'other', '--domain', domain, '--json'],
    {
      env: { ...inherited, DATA_DIR: product.dataDir },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  }
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(output);
  return { domain, token: (JSON.parse(output) as { token: string }).token };
}
