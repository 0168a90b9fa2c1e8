/**
 * `test/long compat`: published clients of Mailpit and MailHog, installed outside the repository,
 * read mail of Mayfly by their own calls. Each must see what was sent.
 */
import { deepStrictEqual as equal, match } from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { startProduct } from '../support/process/product.ts';
import { run } from '../support/process/programs.ts';
import { makeTempDir } from '../support/context/temp-dir.ts';
import { eventually } from '../support/mocha/eventually.ts';
import { commandsOf } from './cypress-commands.ts';

const PACKAGES = {
  mailhog: '4.16.0',
  'mailpit-api': '2.1.0',
  'cypress-mailhog': '2.5.0',
  'cypress-mailpit': '2.0.0',
};
const MAIL = [
  ...['From: Shop <shop@else.test>', 'To: Ann <ann@else.test>', 'Subject: Welcome'],
  ...['MIME-Version: 1.0', 'Content-Type: multipart/mixed; boundary=x', '', '--x'],
  ...['Content-Type: text/plain; charset=utf-8', 'Content-Transfer-Encoding: quoted-printable'],
  ...['', 'Your code is 482913=2E', '--x', 'Content-Type: text/html', '', '<p>Hello</p>'],
  ...['--x', 'Content-Type: text/csv; name=a.csv'],
  ...['Content-Disposition: attachment; filename="a.csv"', '', 'a;b', '--x--', ''],
].join('\r\n');

interface HogMail {
  ID: string;
  text: string;
  html: string;
  subject: string;
  attachments: { name: string; Body: string }[];
}
interface MailHog {
  latestTo: (address: string) => Promise<HogMail>;
  search: (query: string, kind: string) => Promise<{ count: number; items: HogMail[] }>;
  messages: (start: number, limit: number) => Promise<{ count: number; total: number }>;
  deleteMessage: (id: string) => Promise<unknown>;
  deleteAll: () => Promise<unknown>;
}

interface PitMail {
  ID: string;
  Text: string;
  HTML: string;
  Attachments: { PartID: string; FileName: string }[];
}
interface Mailpit {
  getInfo: () => Promise<{ Messages: number }>;
  listMessages: () => Promise<{ messages_count: number; messages: { Subject: string }[] }>;
  waitForMessage: (search: { query: string }) => Promise<PitMail>;
  getMessageHeaders: () => Promise<Record<string, string[]>>;
  getMessageSource: () => Promise<string>;
  getMessageAttachment: (id: string, part: string) => Promise<Blob>;
  renderMessageHTML: () => Promise<string>;
  renderMessageText: () => Promise<string>;
  setReadStatus: (status: { IDs: string[]; Read: boolean }) => Promise<string>;
  deleteMessages: (ids: { IDs: string[] }) => Promise<string>;
  deleteMessagesBySearch: (search: { query: string }) => Promise<string>;
}

const folder = await makeTempDir();
const product = await startProduct();
try {
  await writeFile(join(folder.path, 'package.json'), JSON.stringify({ dependencies: PACKAGES }));
  // Without Cypress itself, which two of them name as a peer.
  run('npm', ['install', '--legacy-peer-deps', '--ignore-scripts', '--no-audit'], {
    cwd: folder.path,
  });
  for (const check of [mailhog, mailpitApi, cypressMailhog, cypressMailpit]) {
    await product.send('ann@else.test', [MAIL]);
    await eventually('the mail', async () => (await product.rest.messageCount('inbox')) === 1);
    await check();
    equal(await product.rest.messageCount('inbox'), 0);
    process.stdout.write(`${check.name}: its calls see the mail, and delete it\n`);
  }
} finally {
  await product.stop();
  await folder.remove();
}

/** The installed file, as its package exports it. */
function load<Exported>(file: string): Promise<Exported> {
  const path = join(folder.path, 'node_modules', file);
  return import(pathToFileURL(path).href) as Promise<Exported>;
}

function credentials() {
  return { username: 'inbox', password: product.token ?? '' };
}

function base(tool: string): string {
  return new URL(`/compat/${tool}`, product.apiUrl).href;
}

async function mailhog(): Promise<void> {
  const { default: open } = await load<{ default: (options: object) => MailHog }>(
    'mailhog/index.js',
  );
  const { username, password } = credentials();
  const auth = `${username}:${password}`;
  const host = { host: '127.0.0.1', port: product.httpPort, basePath: '/compat/mailhog/api' };
  const client = open({ ...host, auth });
  const mail = await client.latestTo('ann@else.test');
  equal([mail.subject, mail.text, mail.html], ['Welcome', 'Your code is 482913.', '<p>Hello</p>']);
  equal(
    mail.attachments.map(({ name, Body }) => [name, Body]),
    [['a.csv', 'a;b']],
  );
  equal((await client.search('482913', 'containing')).items[0]?.ID, mail.ID);
  equal((await client.search('shop@else.test', 'from')).count, 1);
  equal((await client.messages(0, 10)).total, 1);
  equal((await open(host).messages(0, 10)).total, 1); // without credentials on this machine
  await client.deleteMessage(mail.ID);
  await client.deleteAll();
}

async function mailpitApi(): Promise<void> {
  const { MailpitClient } = await load<{
    MailpitClient: new (url: string, options?: { auth: object }) => Mailpit;
  }>('mailpit-api/dist/index.mjs');
  const client = new MailpitClient(base('mailpit'), { auth: credentials() });
  equal((await client.getInfo()).Messages, 1);
  const listed = await client.listMessages();
  equal([listed.messages_count, listed.messages[0]?.Subject], [1, 'Welcome']);
  const mail = await client.waitForMessage({ query: 'to:ann@else.test subject:Welcome' });
  match(mail.Text, /482913/);
  equal((await client.getMessageHeaders())['Subject'], ['Welcome']);
  match(await client.getMessageSource(), /482913=2E/);
  const [file] = mail.Attachments;
  const content = await client.getMessageAttachment(mail.ID, file?.PartID ?? '');
  equal([file?.FileName, await content.text()], ['a.csv', 'a;b']);
  match(await client.renderMessageHTML(), /<p>Hello<\/p>/);
  match(await client.renderMessageText(), /482913/);
  equal(await client.setReadStatus({ IDs: [mail.ID], Read: true }), 'ok');
  equal(await client.deleteMessagesBySearch({ query: 'subject:other' }), 'ok');
  equal((await new MailpitClient(base('mailpit')).getInfo()).Messages, 1); // without credentials
  equal(await client.deleteMessages({ IDs: [mail.ID] }), 'ok');
}

async function cypressMailhog(): Promise<void> {
  const { username, password } = credentials();
  const cy = await commandsOf(() => load('cypress-mailhog/index.js'), {
    mailHogUrl: `${base('mailhog')}/`,
    mailHogUsername: username,
    mailHogPassword: password,
  });
  const [mail] = (await cy('mhGetMailsByRecipient', 'ann@else.test')) as object[];
  equal(await cy('mhGetSubject', mail), 'Welcome');
  equal(await cy('mhGetRecipients', mail), ['ann@else.test']);
  equal(((await cy('mhGetMailsBySubject', 'Welcome')) as object[]).length, 1);
  equal(((await cy('mhSearchMails', 'containing', '482913')) as object[]).length, 1);
  equal(await cy('mhGetJimMode'), false);
  await cy('mhDeleteAll');
}

async function cypressMailpit(): Promise<void> {
  const { username, password } = credentials();
  // Its imports are without extensions, which Cypress bundles.
  const plugin = join(folder.path, 'node_modules/cypress-mailpit/dist/index.js');
  await build({
    entryPoints: [plugin],
    outfile: plugin,
    ...{ bundle: true, format: 'esm', allowOverwrite: true },
  });
  const cy = await commandsOf(() => load('cypress-mailpit/dist/index.js'), {
    MAILPIT_URL: base('mailpit'),
    MAILPIT_USERNAME: username,
    MAILPIT_PASSWORD: password,
    defaultCommandTimeout: '4000',
  });
  const mail = await cy('mailpitGetMail');
  equal(await cy('mailpitGetSubject', mail), 'Welcome');
  equal(await cy('mailpitGetFromAddress', mail), 'shop@else.test');
  equal(await cy('mailpitGetRecipientAddress', mail), ['ann@else.test']);
  equal(await cy('mailpitGetAttachments', mail), ['a.csv']);
  match(String(await cy('mailpitGetMailHTMlBody', mail)), /<p>Hello<\/p>/);
  match(String(await cy('mailpitGetMailTextBody', mail)), /482913/);
  const found = (await cy('mailpitHasEmailsByTo', 'ann@else.test')) as { messages_count: number };
  equal(found.messages_count, 1);
  await cy('mailpitNotHasEmailsBySubject', 'Goodbye');
  await cy('mailpitSetAllEmailStatusAsRead');
  await cy('mailpitDeleteEmailsBySearch', 'subject:Welcome');
  await cy('mailpitDeleteAllEmails');
}
