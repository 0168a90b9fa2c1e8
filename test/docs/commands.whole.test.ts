import { once } from 'node:events';
import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { pages } from '../support/docs/pages.ts';
import { callCommand } from '../support/process/command.ts';
import type { Product } from '../support/process/product.ts';
import { sharedProduct } from '../support/process/shared-product.ts';
import { npmScripts } from '../support/process/npm-script.ts';
import { runBeside } from '../support/process/programs.ts';

interface Mailbox {
  name: string;
}

/** The status of a response to a command that ended with 0; the next ones are other exit codes. */
const SUCCESS = 210;

/**
 * An HTTP error ends a command, which curl does not do by itself. `mayfly` runs in the process
 * of this test, and commands of operators without npm: processes would take most of the time.
 */
const STRICT = `curl() { command curl --show-error --fail-with-body "$@"; }
mayfly() {
  input=
  case " $* " in *' - '*) input=$(cat) ;; esac
  for word; do
    shift
    set -- "$@" --data-urlencode "word=$word"
  done
  set -- "$@" --data-urlencode "MAYFLY_URL=$MAYFLY_URL" --data-urlencode "MAYFLY_TOKEN=$MAYFLY_TOKEN"
  answer=$(command curl -sS "$@" --data-urlencode "input=$input" -w ' %{http_code}' "$COMMANDS")
  code=$((\${answer##* } - ${SUCCESS}))
  answer=\${answer% *}
  if [ $code = 0 ]; then printf %s "$answer"; else printf %s "$answer" >&2; fi
  return $code
}
npm() {
  [ "$1 $2" = 'run --silent' ]
  name=$3
  shift 3
  [ "\${1:-}" != -- ] || shift
  case $name in
${Object.entries(npmScripts)
  .filter(([, command]) => command.startsWith('scripts/run '))
  .map(([name, command]) => `  ${name}) ${command} "$@" ;;`)
  .join('\n')}
  *) command npm run --silent "$name" -- "$@" ;;
  esac
}
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
  let commandServer: Server;
  let commandsUrl = '';

  before(async () => {
    product = await sharedProduct();
    commandServer = createServer((request, response) => void answerCommand(request, response));
    commandServer.listen(0, '127.0.0.1');
    await once(commandServer, 'listening');
    commandsUrl = `http://127.0.0.1:${(commandServer.address() as AddressInfo).port}`;
    smtpUrl = /^ {2}SMTP_URL +(\S+)$/m.exec(product.output())?.[1] ?? '';
  });

  after(() => commandServer.close());

  const env = () => ({
    ...process.env,
    DATA_DIR: product.dataDir,
    TOKEN: product.token ?? '',
    MAYFLY_URL: `http://127.0.0.1:${product.httpPort}`,
    MAYFLY_TOKEN: product.token ?? '',
    SMTP_URL: smtpUrl,
    COMMANDS: commandsUrl,
  });
  /** Runs the command `mayfly` of a request, whose body has its words, input and variables. */
  const answerCommand = async (request: IncomingMessage, response: ServerResponse) => {
    const form = new URLSearchParams(await text(request));
    const given = Object.fromEntries(form);
    const ran = await callCommand(form.getAll('word'), { ...process.env, ...given }, given.input);
    response.writeHead(SUCCESS + (ran.code ?? 1)).end(ran.code === 0 ? ran.stdout : ran.stderr);
  };
  const shell = (code: string) => {
    const here = code
      .replaceAll(GIVEN, '')
      .replaceAll('localhost:3000', `127.0.0.1:${product.httpPort}`)
      .replaceAll('localhost:2525', `127.0.0.1:${product.smtpPort}`);
    return runBeside('sh', ['-euc', STRICT + here], { env: env() });
  };
  /** Leaves the workspace with an empty `inbox`. */
  const reset = async () => {
    const { ask, rest } = product;
    const mailboxes = await rest.json<Mailbox[]>('GET', '/mailboxes');
    for (const { name } of mailboxes) {
      const path = `/mailboxes/${name}${name === INBOX ? '/messages' : ''}`;
      expect((await ask('DELETE', path)).status, path).to.be.below(300);
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
        try {
          await shell(code);
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
    await shell(send);
    expect(await shell(read)).to.include('It works.');
    expect(await shell(list)).to.include('"address":"customer@gmail.com"');
  });
});
