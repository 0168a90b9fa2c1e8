import { expect } from 'chai';
import { isLongForm } from '../support/mocha/long-form.ts';
import { eventually } from '../support/mocha/eventually.ts';
import { type ListedMessage, restClient } from '../support/clients/rest-client.ts';
import { SmtpClient } from '../support/clients/smtp-client.ts';
import type { Product } from '../support/process/product.ts';
import { sharedProduct } from '../support/process/shared-product.ts';
import { runNode } from '../support/process/command.ts';

const MAILS = isLongForm ? 1000 : 20;
const CONNECTIONS = 4;

interface Credential {
  username: string;
  password: string;
}

interface Message {
  envelope: { to: string[] };
}

interface Workspace {
  domain: string;
  token: string;
}

describe('two workspaces that send to addresses of each other with their credentials', () => {
  let product: Product;
  let workspaces: [Workspace, Workspace];

  const restOf = ({ token }: Workspace) => restClient(product.apiUrl, token);
  const messagesOf = (workspace: Workspace, name: string) =>
    restOf(workspace).messages(name) as Promise<(ListedMessage & Message)[]>;

  before(async () => {
    product = await sharedProduct();
    const own = { domain: product.domain, token: product.token! };
    workspaces = [own, await createWorkspace(product, 'capture.test')];
    for (const workspace of workspaces) {
      for (const name of ['catcher', 'target']) await restOf(workspace).createMailbox(name);
    }
  });

  it(`keeps ${MAILS} mails of each in the workspace that sends them`, async () => {
    await Promise.all(
      workspaces.map(async (workspace, own) => {
        const { domain } = workspaces[1 - own]!;
        const path = '/mailboxes/catcher/smtp-credentials';
        const made = await restOf(workspace).json<Credential>('POST', path, { name: 'app' });
        await Promise.all(
          Array.from({ length: CONNECTIONS }, async (_, lane) => {
            const client = await SmtpClient.open(product.smtpPort);
            expect((await client.login(made.username, made.password)).code).to.equal(235);
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
  const command = 'dist/scripts/cli/create-workspace.js';
  const args = [command, '--name', 'other', '--domain', domain, '--json'];
  const { code, stdout, stderr } = await runNode(args, { DATA_DIR: product.dataDir });
  if (code !== 0) throw new Error(stderr);
  return { domain, token: (JSON.parse(stdout) as { token: string }).token };
}
