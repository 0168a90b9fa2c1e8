import { expect } from 'chai';
import { UsageError, parseArguments } from '../../scripts/demo/arguments.ts';
import { languages } from '../../scripts/demo/languages/all.ts';
import { runNode } from '../support/process/command.ts';
import { type Product, startProduct } from '../support/process/product.ts';
import { restClient } from '../support/clients/rest-client.ts';
import { freePort } from '../support/servers/free-port.ts';
import { makeTempDir } from '../support/context/temp-dir.ts';

/** The subject and the code of the sign-up mail in each language. */
const SIGN_UPS: Record<string, [subject: string, code: string]> = {
  en: ['482 913 is your Harbour code', '482913'],
  de: ['Ihr Bestätigungscode lautet M7K-4QX', 'M7K-4QX'],
  fr: ['Votre code de vérification\u00a0: 615482', '615482'],
  es: ['904127 es tu código de verificación', '904127'],
  pt: ['Seu código de verificação da Maré Viva', '27385164'],
  pl: ['Twój kod weryfikacyjny: 518 036', '518036'],
  ru: ['Код подтверждения: 360958', '360958'],
  ja: ['【あおぞら文具店】認証コードのお知らせ', '847261'],
  'zh-Hans': ['您的验证码是 092745', '092745'],
  ar: ['رمز التحقق الخاص بك في متجر الياسمين', '571839'],
};

/** Messages by mailbox. Two of the 60 mails are in two mailboxes. */
const COUNTS = {
  ...{ signup: 10, accounts: 4, billing: 11, storefront: 11, newsletter: 10, deliveries: 6 },
  ...{ appointments: 4, 'gh-4182-worker-1': 3, 'gh-4182-worker-2': 3 },
};

describe('npm run demo', () => {
  let product: Product;
  let printed = '';
  let filled = '';
  let get: Get;

  before(async () => {
    product = await startProduct();
    const { apiUrl, token, httpPort, smtpPort } = product;
    // The names of the demo are taken in this workspace.
    await restClient(apiUrl, token ?? '').createMailbox('signup');
    const domain = ['--name', 'x', '--domain', 'demo.localhost'];
    const taken = await beside(['dist/scripts/cli/create-workspace.js', ...domain]);
    expect([taken.code, taken.stderr]).to.deep.equal([0, '']);
    const there = ['--url', `http://127.0.0.1:${httpPort}/`, '--token', token ?? ''];
    const [own, given] = await Promise.all([
      demo([]),
      demo([...there, '--smtp', `127.0.0.1:${smtpPort}`]),
    ]);
    for (const { code, stderr } of [own, given]) expect([code, stderr]).to.deep.equal([0, '']);
    [printed, filled] = [own.stdout, given.stdout];
    get = reader(apiUrl, /mf_\w+/.exec(printed)?.[0] ?? '');
  });
  after(() => product.stop());

  /** Runs beside the product, with its variables. */
  const beside = (args: string[], env: NodeJS.ProcessEnv = {}) => {
    const { dataDir, httpPort, smtpPort } = product;
    const variables = { DATA_DIR: dataDir, PORT: `${httpPort}`, SMTP_PORT: `${smtpPort}` };
    return runNode(args, { ...{ HOME: process.env.HOME, ...variables, ...env } });
  };
  const demo = (args: string[], env?: NodeJS.ProcessEnv) =>
    beside(['scripts/demo/main.ts', ...args], env);

  it('creates a workspace under a name that is free, and prints its token and content', () => {
    for (const line of [
      'Workspace  demo-2, plan pro',
      `Dashboard  http://localhost:${product.httpPort}/`,
      'Mailboxes  9 in demo-2.localhost, with labels',
      'Mails      60 in 10 languages, 62 messages',
      'Caught     21 messages to other domains, in the mailboxes storefront and newsletter',
      'Claims     4 messages of the mailbox signup',
      'Webhooks   3, two of which fail',
    ]) {
      expect(printed.split('\n')).to.include(line);
    }
    expect(printed).to.match(/^Token {6}mf_\w{43}$/m);
  });

  it('with --url fills the workspace of the token, under names that are free', async () => {
    expect(filled)
      .to.match(/^Mailboxes +9 in mayfly\.localhost/m)
      .and.not.match(/^Workspace/m);
    const [newest] = await reader(product.apiUrl, product.token ?? '')<Mailbox[]>('/mailboxes');
    expect(newest).to.include({ name: 'signup-2', messageCount: 10 });
  });

  it('sends 60 mails to mailboxes with labels, two of which expire', async () => {
    const mailboxes = await get<Mailbox[]>('/mailboxes');
    const counts = mailboxes.map(({ name, messageCount }) => [name, messageCount]);
    expect(Object.fromEntries(counts)).to.deep.equal(COUNTS);
    const { messages } = await get<Page>('/messages?limit=100');
    expect(new Set(messages.map(({ messageIdHeader }) => messageIdHeader)).size).to.equal(60);
    expect(mailboxes.every(({ labels }) => Object.keys(labels).length >= 2)).to.equal(true);
    const expiring = mailboxes.filter(({ expiresAt }) => expiresAt !== null);
    expect(expiring.map(({ labels }) => labels.run)).to.deep.equal(['gh-4182', 'gh-4182']);
  });

  it('sends a sign-up mail in each of ten languages, whose code is found', async () => {
    expect(languages.map(({ language }) => language)).to.have.members(Object.keys(SIGN_UPS));
    const messages = await messagesOf('signup');
    const found = await Promise.all(
      messages.map(async (message) => [message.subject, (await extracted(message)).code]),
    );
    expect(found).to.have.deep.members(Object.values(SIGN_UPS));
    const tags = new Set(messages.map(({ tag }) => tag));
    expect([...tags]).to.have.members(['web', 'ios', 'android']);
  });

  it('sends reset links, PDF files, calendar files and newsletters', async () => {
    for (const message of await messagesOf('accounts', 'gh-4182-worker-1', 'gh-4182-worker-2')) {
      expect((await extracted(message)).link).to.include('/reset-password?token=');
    }
    const ten = (type: string) => Array<string>(10).fill(type);
    expect(await filesOf('billing')).to.deep.equal(ten('application/pdf'));
    expect(await filesOf('deliveries', 'appointments')).to.deep.equal(ten('text/calendar'));
    for (const message of await messagesOf('newsletter')) {
      expect(message.html).to.include('src="cid:').and.include('src="data:image/png;base64,');
      const { unsubscribe } = await extracted(message);
      expect(unsubscribe).to.deep.include({ oneClick: true, problems: [] });
    }
  });

  it('has the mail to customers caught, with all recipients', async () => {
    const { messages } = await get<Page>('/messages?limit=100&q=is:caught');
    expect(messages).to.have.length(21);
    const { recipients } = await get<{ recipients: unknown[] }>(
      '/mailboxes/newsletter/recipients?limit=100',
    );
    expect(recipients).to.have.length(30);
  });

  it('claims four messages of one mailbox', async () => {
    const { messages } = await get<Page>('/mailboxes/signup/messages?claimed=true');
    expect(messages).to.have.length(4);
  });

  it('has webhooks with failed attempts and pending retries', async () => {
    const outcomes: string[] = [];
    for (const mailbox of ['signup', 'billing']) {
      const hooks = `/mailboxes/${mailbox}/webhooks`;
      for (const { id } of await get<{ id: string }[]>(hooks)) {
        const page = await get<{ deliveries: Delivery[] }>(`${hooks}/${id}/deliveries?limit=100`);
        outcomes.push(
          ...page.deliveries.map(({ state, attempts }) => `${state} ${attempts[0]?.outcome ?? ''}`),
        );
      }
    }
    expect(outcomes.sort()).to.deep.equal([
      ...Array<string>(10).fill('delivered delivered'),
      ...Array<string>(11).fill('pending connection_refused'),
      ...Array<string>(10).fill('pending http_error'),
    ]);
  });

  it('rejects wrong arguments', () => {
    const closed = ['--url', 'http://127.0.0.1:1', '--token', 'x'];
    for (const [args, text] of [
      [['--url', 'http://localhost'], '--url and --token must be given together'],
      [['--url', 'ftp://x', '--token', 'x'], '--url must be an HTTP or HTTPS address'],
      [[...closed, '--smtp', 'x'], '--smtp must be a host and a port'],
    ] as const) {
      expect(() => parseArguments(args.slice())).to.throw(UsageError, text);
    }
    expect(parseArguments(['--help'])).to.deep.equal({ mode: 'help' });
  });

  it('ends with exit code 2 on wrong usage, and with 1 for an instance that does not run', async () => {
    const closed = `http://127.0.0.1:${await freePort()}`;
    const empty = await makeTempDir();
    const cases: [args: string[], code: number, text: string, env?: NodeJS.ProcessEnv][] = [
      [['--all'], 2, "Unknown option '--all'"],
      [['--url', product.apiUrl, '--token', 'x'], 1, 'token'],
      [[], 1, 'Mayfly cannot be reached at', { PORT: new URL(closed).port }],
      [[], 1, 'no Mayfly data in', { DATA_DIR: empty.path }],
    ];
    await Promise.all(
      cases.map(async ([args, code, text, env]) => {
        const ran = await demo(args, env);
        expect([args, ran.code, ran.stdout]).to.deep.equal([args, code, '']);
        expect(ran.stderr).to.include(text);
        expect(ran.stderr.includes('usage: ')).to.equal(code === 2);
      }),
    );
    await empty.remove();
  });

  async function messagesOf(...names: string[]): Promise<Listed[]> {
    const pages = await Promise.all(
      names.map(async (mailbox) => {
        const { messages } = await get<Page>(`/mailboxes/${mailbox}/messages?limit=100`);
        return messages.map((message) => ({ ...message, mailbox }));
      }),
    );
    return pages.flat();
  }

  async function filesOf(...names: string[]): Promise<string[]> {
    const messages = await messagesOf(...names);
    return messages.flatMap(({ attachments }) => attachments.map(({ contentType }) => contentType));
  }

  function extracted({ mailbox, id }: Listed): Promise<Extracted> {
    return get(`/mailboxes/${mailbox}/messages/${id}/extracted`);
  }
});

type Get = <Answer>(path: string) => Promise<Answer>;

interface Mailbox {
  name: string;
  messageCount: number;
  labels: Record<string, string>;
  expiresAt: string | null;
}

interface Listed {
  id: string;
  mailbox: string;
  subject: string;
  html: string;
  tag?: string;
  messageIdHeader: string;
  attachments: { contentType: string }[];
}

interface Page {
  messages: Listed[];
}

interface Extracted {
  code: string | null;
  link: string | null;
  unsubscribe: { oneClick: boolean; problems: string[] };
}

interface Delivery {
  state: string;
  attempts: { outcome: string }[];
}

/** Reads paths of the API. */
function reader(apiUrl: string, token: string): Get {
  return async <Answer>(path: string) => {
    const answer = await fetch(apiUrl + path, { headers: { Authorization: `Bearer ${token}` } });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as Answer;
  };
}
