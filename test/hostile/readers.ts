/** The ways in which the product reads mail. */
import { indexMails } from '../../core/search/index-mails.ts';
import type { Asked, Stored, World } from './world.ts';

export interface Reader {
  name: string;
  process: 'web' | 'worker';
  /** What it reads, if not the mail that is already stored. */
  prepare?: (world: World, raw: Buffer) => Promise<Stored>;
  run: (world: World, mail: Stored) => Promise<unknown>;
}

type Ask = (mail: Stored) => [path: string, asked?: Asked] | null;

function web(name: string, ask: Ask): Reader {
  return {
    name,
    process: 'web',
    run: async (world, mail) => {
      const asked = ask(mail);
      if (asked) await world.ask(...asked);
    },
  };
}

const box = ({ mailbox }: Stored) => `/api/mailboxes/${mailbox}`;
const message = (mail: Stored) => `${box(mail)}/messages/${mail.id}`;
const get =
  (rest: string): Ask =>
  (mail) => [`${message(mail)}${rest}`];
const wait =
  (criterion: string): Ask =>
  (mail) => [`${box(mail)}/messages/wait?timeout=0&${criterion}`];
const search =
  (query: string): Ask =>
  (mail) => [`${box(mail)}/messages?q=${encodeURIComponent(query)}`];
const tool =
  (name: string, args: (mail: Stored) => object): Ask =>
  (mail) => {
    const params = { name, arguments: args(mail) };
    return ['/mcp', { body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params } }];
  };
const compat =
  (path: (mail: Stored) => string): Ask =>
  (mail) => [`/compat/${path(mail)}`, { login: mail.mailbox }];
const empty = async (world: World, raw: Buffer): Promise<Stored> => ({
  ...{ raw, mark: '', wideMark: '', id: '', attachments: [] },
  mailbox: await world.mailbox(),
});

/** By the operation of openapi.yaml, in which a mail is read. Some have several forms. */
const OPERATIONS: Record<string, Record<string, Ask>> = {
  getMessage: { JSON: get('') },
  listMessages: {
    list: (mail) => [`${box(mail)}/messages?limit=100`],
    'list of summaries': (mail) => [`${box(mail)}/messages?view=summary`],
    'search words': search('unheard'),
    'search from:': search('from:unheard'),
    'search subject:': search('subject:unheard'),
  },
  searchMessages: {
    'search everywhere': (mail) => [`/api/messages?q=mailbox:${mail.mailbox}+unheard`],
  },
  waitForMessages: {
    'wait hasCode': wait('hasCode=true&subject=none'),
    'wait extract': wait('hasCode=true&extract=true'),
    'wait text': wait('text=unheard-of'),
    'wait from': wait('from=unheard@x.test'),
    'wait to': wait('to=unheard@x.test'),
    'wait subject': wait('subject=unheard'),
    'wait header': wait('header=X-A:%20unheard'),
    'wait link': wait('link=reset'),
  },
  waitInWorkspace: {
    'wait everywhere': (mail) => [
      `/api/messages/wait?timeout=0&text=unheard-of&mark=${encodeURIComponent(mail.wideMark)}`,
    ],
  },
  claimMessages: {
    claim: (mail) => [
      `${box(mail)}/messages/claim`,
      { body: { timeout: 0, match: { text: 'unheard-of', from: ['unheard@x.test'] } } },
    ],
  },
  streamMailboxEvents: {
    stream: (mail) => [
      `${box(mail)}/events?text=unheard&mark=${encodeURIComponent(mail.mark)}`,
      { until: 'message.received' },
    ],
  },
  getAttachment: {
    attachment: (mail) => of(mail, (id) => [`${message(mail)}/attachments/${id}`]),
  },
  getAttachmentText: {
    'text of an attachment': (mail) =>
      of(mail, (id) => [`${message(mail)}/attachments/${id}/text`]),
  },
  getMessageParts: { parts: get('/parts') },
  getMessagePart: { part: get('/parts/1') },
  getEnclosedMessage: { 'enclosed mail': get('/parts/1/message') },
  getRawMessage: { raw: get('/raw') },
  getMessageHeaders: { headers: get('/headers') },
  getExtracted: { extracted: get('/extracted') },
  diffMessages: { diff: (mail) => [`${message(mail)}/diff?with=${mail.id}`] },
  replyToMessage: {
    reply: (mail) => [`${message(mail)}/reply`, { body: { kind: 'reply', html: '<p>x' } }],
    forward: (mail) => [
      `${message(mail)}/reply`,
      { body: { kind: 'forward', to: [`${mail.mailbox}@one.test`], html: '<p>x' } },
    ],
  },
  getWebhookEvent: { event: get('/event') },
  showMessageHtml: { html: get('/html') },
  getMessageText: { text: get('/text') },
  listCaughtRecipients: { recipients: (mail) => [`${box(mail)}/recipients`] },
};

/** Operations below a mailbox or a message that read no text of a mail, with the reason. */
export const EXCLUDED: Record<string, string> = {
  getMailbox: 'has names and times of the mailbox only',
  getMark: 'has the number of the newest message only',
  getWorkspaceMark: 'has the number of the newest message only',
  getClaim: 'has the claim and no message',
  followAttachmentLink: 'sends the bytes of getAttachment',
  listMailboxes: 'has names and times of mailboxes only',
  listSmtpCredentials: 'has no mail',
  listWebhooks: 'has no mail',
  listDeliveries: 'has ids and outcomes of deliveries',
  getDelivery: 'has ids and outcomes of a delivery; its body is that of getWebhookEvent',
  streamEvents: 'is streamMailboxEvents of all mailboxes',
};

const OTHERS: Record<string, Ask> = {
  'MCP get_message': tool('get_message', ({ mailbox, id }) => ({ mailbox, id })),
  'MCP attachment': tool('get_message', ({ mailbox, id }) => ({ mailbox, id, attachment: 1 })),
  'MCP wait_for_code': tool('wait_for_code', ({ mailbox }) => ({ mailbox, timeout: 0 })),
  'MCP wait_for_link': tool('wait_for_link', ({ mailbox }) => ({ mailbox, timeout: 0 })),
  'MCP wait_for_message': tool('wait_for_message', ({ mailbox }) => ({ mailbox, timeout: 0 })),
  'MCP search_messages': tool('search_messages', ({ mailbox }) => ({ q: `mailbox:${mailbox}` })),
  'Mailpit messages': compat(() => 'mailpit/api/v1/messages'),
  'Mailpit search': compat(() => 'mailpit/api/v1/search?query=unheard'),
  'Mailpit message': compat(({ id }) => `mailpit/api/v1/message/${id}`),
  'Mailpit headers': compat(({ id }) => `mailpit/api/v1/message/${id}/headers`),
  'Mailpit raw': compat(({ id }) => `mailpit/api/v1/message/${id}/raw`),
  'Mailpit part': compat(({ id, attachments }) => {
    return `mailpit/api/v1/message/${id}/part/${attachments[0] ?? '1'}`;
  }),
  'Mailpit html': compat(({ id }) => `mailpit/view/${id}.html`),
  'Mailpit text': compat(({ id }) => `mailpit/view/${id}.txt`),
  'MailHog messages': compat(() => 'mailhog/api/v2/messages'),
  'MailHog first messages': compat(() => 'mailhog/api/v1/messages'),
  'MailHog search': compat(() => 'mailhog/api/v2/search?kind=containing&query=unheard'),
  'MailHog message': compat(({ id }) => `mailhog/api/v1/messages/${id}`),
};

const WORKER: Reader[] = [
  {
    name: 'ingest',
    process: 'worker',
    prepare: empty,
    run: (world, { mailbox, raw }) => world.ingest(mailbox, raw),
  },
  {
    name: 'ingest heavy',
    process: 'worker',
    prepare: empty,
    run: (world, { mailbox, raw }) => world.ingestHeavy(mailbox, raw),
  },
  {
    name: 'index',
    process: 'worker',
    prepare: async (world, raw) => {
      await indexMails(world.context);
      const mail = await empty(world, raw);
      return { ...mail, ...(await world.ingest(mail.mailbox, raw)) };
    },
    run: ({ context }) => indexMails(context),
  },
];

const upload: Reader = {
  ...web('upload', (mail) => [`${box(mail)}/messages/raw`, { body: mail.raw }]),
  prepare: empty,
};

/** Ids of the operations whose readers are listed. */
export const READ_OPERATIONS = [...Object.keys(OPERATIONS), 'storeRawMessage'];

export const READERS: readonly Reader[] = [
  ...WORKER,
  upload,
  ...Object.values(OPERATIONS)
    .flatMap((forms) => Object.entries(forms))
    .map(([name, ask]) => web(name, ask)),
  ...Object.entries(OTHERS).map(([name, ask]) => web(name, ask)),
];

function of(
  { attachments: [id] }: Stored,
  ask: (id: string) => [path: string, asked?: Asked],
): ReturnType<Ask> {
  return id === undefined ? null : ask(id);
}

/**
 * Readers that differ in what they do with a mail, with the kinds whose repeated form they read.
 * The others repeat a part of them.
 */
const HEAD = /^(?:words|address|parameters|header|label)/;
const BODY = /^(?:HTML|text|set|calendar)/;
const TREE = /^(?:tree|labels|report|shape)/;
const DISTINCT: ReadonlyMap<string, RegExp> = new Map([
  ['ingest', /^/],
  ['index', /^(?!shape|tree)/],
  ['headers', HEAD],
  ['wait from', /^(?:address|words)/],
  ['search from:', /^(?:address|words)/],
  ['reply', /^(?!set|shape|tree|labels)/],
  ['MailHog message', TREE],
  ['parts', TREE],
  ['extracted', /^(?:HTML|text|calendar)/],
  ['html', /^HTML/],
  ['diff', BODY],
  ['wait text', /^(?:text|set)/],
  ['MCP get_message', BODY],
]);
/**
 * One of so many pairs is in the short form; `ingest` is in all. Each reader has one, and each
 * kind.
 */
const SHARES = { distinct: 4, other: 120 };

/** Whether the short form of the test has this pair, by name and by number. */
export function isUsual(kind: string, reader: string, numbers: [number, number]): boolean {
  const isDistinct = DISTINCT.get(reader)?.test(kind);
  if (isDistinct === false || reader === 'ingest') return isDistinct === true;
  const share = isDistinct === true ? SHARES.distinct : SHARES.other;
  return (numbers[0] + numbers[1]) % share === 0;
}

/** Readers whose work could grow with each two lines, fields, parts or addresses of a mail. */
const MANY_ITEMS: ReadonlyMap<string, readonly string[]> = new Map([
  ['header: many fields', ['ingest', 'headers']],
  ['address: list', ['ingest', 'wait from']],
  ['labels: many', ['ingest']],
  ['tree: wide', ['ingest', 'parts']],
  ['tree: attachments', ['ingest', 'MailHog message']],
  ['calendar: events', ['ingest']],
  ['report: recipients', ['ingest']],
  ['text: quoted lines', ['reply', 'extracted', 'diff']],
  ['text: links', ['extracted']],
  ['text: blank lines', ['index', 'wait text']],
]);

/** Whether the pair is judged with larger mail. */
export function hasManyItems(kind: string, reader: string): boolean {
  return MANY_ITEMS.get(kind)?.includes(reader) === true;
}
