/**
 * Hostile mails through every tool. In the short form a few of them over HTTP; in the long form all
 * of them, with both revisions over HTTP and stdio.
 */
import { expect } from 'chai';
import { CANARY, HOSTILE_WORDS, hostileMail } from '../support/mail/hostile-words.ts';
import {
  type McpClient,
  REVISIONS,
  TRANSPORTS,
  type ToolAnswer,
  connectMcp,
} from '../support/clients/mcp-client.ts';
import { isLongForm } from '../support/mocha/long-form.ts';
import { service } from '../support/service.ts';

const LINE = /^([0-9a-f]{32}) ([a-zA-Z0-9_ ]+): "((?:[^"\\]|\\.)*)"(?: \(cut\))?$/;
/**
 * The form of every value of Mayfly: ids, times, marks, codes, names of outcomes, our own
 * addresses.
 */
const OURS =
  /^(?:[a-z]{3}_[0-9a-z]{26}|[0-9T:.-]+Z|[A-Za-z0-9_-]+|127\.0\.0\.1|[a-z0-9.+-]+@one\.test)$/;
/** Sentences with ids, and nothing else. */
const NOTE =
  /^(?:(?:Nothing yet\.|search_messages without q lists what arrived in all mailboxes\.|Call \w+ again with the "mark" of this answer(?: to wait for later messages)?\.|\d+ messages? (?:arrived|with a) [a-z ]+: read msg_[0-9a-z]{26}(?:, msg_[0-9a-z]{26})* with get_message\.) ?)+$/;
const LINK = 'https://shop.example/verify?t=Zk3x9QmP7LrT2vWc8YbN';
const ACTIVE = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}[\]<>`]|:\/\//u;

const all = Object.entries(HOSTILE_WORDS);
const chosen = isLongForm ? all : all.filter((_, n) => n % 5 === 0);
const revisions = isLongForm ? REVISIONS : [REVISIONS[0]];
const transports = isLongForm ? TRANSPORTS : [TRANSPORTS[0]];

describe('hostile mail through the tools', () => {
  const test = service({ once: true, env: { RATE_LIMIT_PRO: '0', PLAN_PRO_MAILBOXES: '0' } });

  before(async () => {
    for (const [n, [, words]] of chosen.entries()) {
      for (const asHtml of [false, true]) {
        const name = nameOf(n, asHtml);
        await test.mailbox(name);
        await test.receive(name, hostileMail(words, { asHtml }));
      }
    }
  });

  it('is 40 mails', () => {
    expect(all).to.have.length(40);
  });

  for (const revision of revisions) {
    for (const transport of transports) {
      it(`stays in its fence: ${revision} over ${transport}`, async () => {
        const client = await connectMcp({
          url: (await test.listen()).url,
          token: test.workspace.token,
          revision,
          transport,
        });
        try {
          for (const [n, [way]] of chosen.entries()) {
            for (const asHtml of [false, true]) await read(client, nameOf(n, asHtml), way);
          }
          check('list_mailboxes', await client.call('list_mailboxes'));
        } finally {
          await client.close();
        }
      });
    }
  }

  const read = async (client: McpClient, mailbox: string, way: string) => {
    const ask = async (tool: string, args: Record<string, unknown> = {}) => {
      const answer = await client.call(tool, { mailbox, ...args });
      expect(answer.isError, `${way}: ${tool}: ${JSON.stringify(answer.content)}`).not.to.equal(
        true,
      );
      return { data: answer.structuredContent, words: check(`${way}: ${tool}`, answer) };
    };
    const code = await ask('wait_for_code', { timeout: 0 });
    expect(code.data).to.include({ outcome: 'matched', code: '482913' });
    expect(code.words, way)
      .to.include(CANARY)
      .and.not.match(/^\w+ text:/m);
    const link = await ask('wait_for_link', { timeout: 0 });
    expect(link.data?.link, way).to.deep.equal({ url: LINK, kind: 'verify', sameDomain: true });
    const found = await ask('wait_for_message', { timeout: 0 });
    expect(found.words, way).to.include('482913').and.include(CANARY);
    const missed = await ask('wait_for_message', { timeout: 0, subject: 'no such subject' });
    expect(missed.data).to.include({ outcome: 'timeout', message: null });
    expect(missed.words, way).to.include('subject of msg_');
    expect(missed.data?.note).to.match(
      /^\d messages? arrived that not all arguments match: read msg_/,
    );
    const { id } = found.data?.message as { id: string };
    const hits = check(
      `${way}: search_messages`,
      await client.call('search_messages', { q: `mailbox:${mailbox} ${CANARY}` }),
    );
    expect(hits, way).to.include(`subject of ${id}`).and.include(CANARY);
    let offset: unknown = 0;
    while (offset !== null) {
      const page = await ask('get_message', { id, offset });
      const hides = mailbox.endsWith('html') && !/[<>]/.test(HOSTILE_WORDS[way] ?? '');
      if (hides) expect(page.data?.hiddenCharacters, way).to.be.above(CANARY.length);
      offset = page.data?.nextOffset;
    }
    const attached = await ask('get_message', { id, attachment: 1 });
    expect(attached.words, way).to.include(CANARY);
    await ask('get_smtp_settings');
    const sent = await ask('send_message', { to: [`${mailbox}@one.test`], subject: 'Ours' });
    expect(sent.data?.deliveredTo).to.deep.equal([`${mailbox}@one.test`]);
  };
});

const nameOf = (n: number, asHtml: boolean) => `mail-${n}-${asHtml ? 'html' : 'text'}`;

/**
 * Fails if a word of a sender is outside the fence of an answer, or if the two forms of the answer
 * differ. Returns what is inside.
 */
function check(what: string, { structuredContent = {}, content }: ToolAnswer): string {
  const { note, words = [], ...ours } = structuredContent;
  const lines = words as string[];
  for (const value of stringsIn(ours)) {
    if (value !== LINK) expect(value, what).to.match(OURS);
  }
  if (note !== undefined) expect(note, what).to.match(NOTE);
  expect(JSON.stringify([note, ours]), what).not.to.include(CANARY);
  const shown = [...(typeof note === 'string' ? [note] : []), JSON.stringify(ours), ...lines];
  expect(content, what).to.deep.equal([{ type: 'text', text: shown.join('\n') }]);
  let characters = 0;
  for (const line of lines) {
    const [, own, , inside = ''] = LINE.exec(line) ?? [];
    expect(own, `${what}: ${line}`).to.equal(ours.fence);
    expect(inside, what).not.to.match(ACTIVE);
    characters += inside.length;
  }
  expect(characters, what).to.be.at.most(4000);
  return lines.join('\n');
}

function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(stringsIn);
}
