import { expect } from 'chai';
import { pages } from '../support/docs/pages.ts';
import type { Product } from '../support/process/product.ts';
import { sharedProduct } from '../support/process/shared-product.ts';
import { run } from '../support/process/programs.ts';

interface Mailbox {
  name: string;
}
interface Workspace {
  domain: string;
}

/**
 * An HTTP error ends a command, which curl does not do by itself. `mayfly` is the one of this
 * checkout.
 */
const STRICT = `curl() { command curl --show-error --fail-with-body "$@"; }
mayfly() { node packages/cli/dist/mayfly.js "$@"; }
`;

/** What a reader fills in. */
const GIVEN = /^(?:TOKEN=mf_|SMTP_URL=smtp:).*\n/gm;

/** The mailbox that `up` creates. */
const INBOX = 'inbox';

/**
 * Runs every block `sh run`, in the order of its page, against a running product with a mailbox
 * `hello`.
 */
describe('the commands of the documentation', () => {
  let product: Product;
  let smtpUrl = '';

  before(async () => {
    product = await sharedProduct();
    smtpUrl = /^ {2}SMTP_URL +(\S+)$/m.exec(product.output())?.[1] ?? '';
  });

  const env = () => ({
    ...process.env,
    DATA_DIR: product.dataDir,
    TOKEN: product.token ?? '',
    MAYFLY_URL: `http://127.0.0.1:${product.httpPort}`,
    MAYFLY_TOKEN: product.token ?? '',
    SMTP_URL: smtpUrl,
  });
  const shell = (code: string) => {
    const here = code
      .replaceAll(GIVEN, '')
      .replaceAll('localhost:3000', `127.0.0.1:${product.httpPort}`)
      .replaceAll('localhost:2525', `127.0.0.1:${product.smtpPort}`);
    return run('sh', ['-euc', STRICT + here], { env: env() });
  };
  /** Whether the commands so far can have created workspaces. */
  let madeWorkspaces = true;
  /** Leaves the first workspace with an empty `inbox`. */
  const reset = async () => {
    const { ask, rest } = product;
    const mailboxes = await rest.json<Mailbox[]>('GET', '/mailboxes');
    for (const { name } of mailboxes) {
      const path = `/mailboxes/${name}${name === INBOX ? '/messages' : ''}`;
      expect((await ask('DELETE', path)).status, path).to.be.below(300);
    }
    if (!madeWorkspaces) return;
    madeWorkspaces = false;
    const listed = shell('npm run --silent workspace:list -- --json');
    for (const { domain } of JSON.parse(listed) as Workspace[]) {
      if (domain === product.domain) continue;
      shell(`npm run --silent workspace:delete -- --domain ${domain} --yes`);
    }
  };

  for (const { path, blocks } of pages) {
    const commands = blocks.filter(({ check }) => check === 'run');
    if (commands.length === 0) continue;

    it(`succeed in ${path}`, async () => {
      await reset();
      const makesMailbox = commands.some(({ code }) =>
        /{"name":"hello"}|mailbox create hello$/m.test(code),
      );
      if (!makesMailbox) await product.rest.createMailbox('hello');
      for (const { code, place } of commands) {
        madeWorkspaces ||= code.includes('workspace:create');
        try {
          shell(code);
        } catch (error) {
          throw new Error(`${place}: ${String(error)}`, { cause: error });
        }
      }
    });
  }

  it('show the first mail of README.md', async () => {
    const [first] =
      pages
        .find(({ path }) => path === 'README.md')
        ?.blocks.filter(({ check }) => check === 'run') ?? [];
    const [send = '', read = '', list = ''] = (first?.code ?? '')
      .replaceAll(GIVEN, '')
      .trim()
      .split('\n\n');
    await reset();
    shell(send);
    expect(shell(read)).to.include('It works.');
    expect(shell(list)).to.include('"address":"customer@gmail.com"');
  });
});
