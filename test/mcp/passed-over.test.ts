/** No message is lost to a client that goes on by the marks of the answers. */
import { expect } from 'chai';
import { type McpClient, type ToolAnswer, connectMcp } from '../support/clients/mcp-client.ts';
import { service } from '../support/service.ts';

const WAITS = ['wait_for_message', 'wait_for_code', 'wait_for_link'];

describe('messages that a wait passes over', () => {
  const test = service({ env: { RATE_LIMIT_PRO: '0' } });
  let client: McpClient;

  beforeEach(async () => {
    await test.mailbox('box');
    client = await connectMcp({ url: (await test.listen()).url, token: test.workspace.token });
  });
  afterEach(() => client.close());

  const receive = (subject: string, text = 'Hello.') =>
    test.receive('box', `From: shop@shop.example\r\nSubject: ${subject}\r\n\r\n${text}\r\n`);
  const wait = async (tool: string, args: object = {}) => {
    const answer = await client.call(tool, { mailbox: 'box', timeout: 0, ...args });
    expect(answer.isError, JSON.stringify(answer.content)).not.to.equal(true);
    return answer;
  };
  const dataOf = ({ structuredContent = {} }: ToolAnswer) =>
    structuredContent as {
      code: string | null;
      message: { id: string } | null;
      mark: string;
      note?: string;
      others: { id: string; failed: string[] }[];
      words: string[];
    };

  for (const what of ['code', 'link']) {
    it(`names a message without a ${what} in both forms of the answer`, async () => {
      const { mark } = dataOf(await wait(`wait_for_${what}`));
      const id = await receive('Welcome', 'Thank you for your order.');
      const answer = await wait(`wait_for_${what}`, { mark });
      const { note, others, words } = dataOf(answer);
      expect(note).to.equal(
        `1 message arrived without a ${what}: read ${id} with get_message. ` +
          `Call wait_for_${what} again with the "mark" of this answer to wait for later messages.`,
      );
      expect(others).to.deep.equal([{ id, failed: [what] }]);
      expect(words.join()).to.include(`subject of ${id}: "Welcome"`);
      expect(answer.content).to.have.length(1);
      expect(answer.content[0]?.text.startsWith(`${note}\n`)).to.equal(true);
      expect(answer.content[0]?.text.endsWith(words.join('\n'))).to.equal(true);
    });
  }

  it('names what matches no argument, and what came before the code', async () => {
    const other = await receive('Receipt');
    const first = await receive('Your code', 'Your code is 482913.');
    const found = dataOf(await wait('wait_for_code', { subject: 'your code' }));
    expect(found).to.include({ code: '482913', messageId: first });
    expect(found.note).to.equal(
      `1 message arrived that not all arguments match: read ${other} with get_message.`,
    );
    await receive('Your code', 'Your code is 771204.');
    const { code, note } = dataOf(await wait('wait_for_code', { subject: 'your code' }));
    expect(code).to.equal('771204');
    expect(note).to.include(`1 message with a code arrived earlier: read ${first} with`);
    const message = dataOf(await wait('wait_for_message', { subject: 'code' }));
    expect(message.message?.id).to.equal(first);
    expect(message.others).to.deep.equal([{ id: other, failed: ['subject'] }]);
    expect(dataOf(await wait('wait_for_message', { mark: message.mark })).message?.id).to.not.equal(
      first,
    );
  });

  for (const tool of WAITS) {
    it(`ends the mark before the first message that is not named: ${tool}`, async () => {
      const ids: string[] = [];
      for (let n = 0; n < 45; n += 1) ids.push(await receive(`Number ${n}`));
      const seen: string[] = [];
      let next: object = {};
      for (let calls = 1; seen.length < ids.length; calls += 1) {
        expect(calls).to.be.below(4);
        const { others, mark, note } = dataOf(await wait(tool, { subject: 'code', ...next }));
        seen.push(...others.map(({ id }) => id));
        next = { mark };
        const isCut = seen.length < ids.length;
        expect(note?.includes('More messages follow, which the mark does not cover.')).to.equal(
          isCut,
        );
      }
      expect(seen).to.deep.equal(ids);
    });
  }

  it('takes the id of a message as a mark', async () => {
    for (let n = 0; n < 25; n += 1) await receive(`Number ${n}`);
    const last = await receive('Your code', 'Your code is 482913.');
    const all = dataOf(await wait('wait_for_code'));
    expect(all.code).to.equal('482913');
    // More messages came before it than an answer names, so its mark does not reach it.
    expect(dataOf(await wait('wait_for_code', { mark: all.mark })).code).to.equal('482913');
    const later = dataOf(await wait('wait_for_code', { mark: last }));
    expect(later).to.deep.include({ code: null, others: [] });
    const unknown = 'msg_01k9z6v7m3q8w2x4y5b6c7d8e9';
    const { isError, content } = await client.call('wait_for_code', {
      ...{ mailbox: 'box', timeout: 0, mark: unknown },
    });
    expect(isError).to.equal(true);
    expect(content[0]?.text).to.equal(`No such message: "${unknown}". (not_found)`);
  });
});
