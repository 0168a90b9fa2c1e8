/**
 * A sign-up as an agent does it, by clients that show a model only a part of each answer. The agent
 * reads nothing but text, as a model does.
 */
import { expect } from 'chai';
import { type McpClient, type ToolAnswer, connectMcp } from '../support/clients/mcp-client.ts';
import { service } from '../support/service.ts';

/** What a model is shown of an answer. */
const VIEWS = {
  'only structuredContent': ({ structuredContent }: ToolAnswer) =>
    JSON.stringify(structuredContent),
  'only content[0]': ({ content }: ToolAnswer) => content[0]?.text ?? '',
};
/** An estimate: four characters a token. */
const tokensOf = (text: string) => Math.ceil(text.length / 4);

for (const [view, shownOf] of Object.entries(VIEWS)) {
  describe(`a sign-up with ${view}`, () => {
    const test = service({ env: { RATE_LIMIT_PRO: '0' } });
    let client: McpClient;

    beforeEach(async () => {
      client = await connectMcp({ url: (await test.listen()).url, token: test.workspace.token });
    });
    afterEach(() => client.close());

    it('ends with the right code, also of a mail that has no recognized one', async () => {
      let tokens = 0;
      const ask = async (tool: string, args: object) => {
        const text = shownOf(await client.call(tool, { ...args }));
        tokens += tokensOf(text);
        return text;
      };
      const partOf = (text: string, pattern: RegExp) => {
        const found = pattern.exec(text)?.[1];
        expect(found, `${pattern.source} in ${text}`).to.be.a('string');
        return found ?? '';
      };

      const made = await ask('create_mailbox', { labels: ['run:1'] });
      const mailbox = partOf(made, /"name":"([^"]+)"/);
      expect(partOf(made, /"address":"([^"]+)"/)).to.equal(`${mailbox}@one.test`);

      const send = (subject: string, text: string) =>
        test.receive(
          mailbox,
          `From: Acme <hi@acme.example>\r\nSubject: ${subject}\r\n\r\n${text}\r\n`,
        );
      await send('Welcome to Acme', 'We are glad that you are here.');
      await send('Your Acme code', 'Your verification code is 482913.');
      const waited = await ask('wait_for_code', { mailbox, timeout: 5 });
      expect(partOf(waited, /"code":"([^"]+)"/)).to.equal('482913');
      expect(waited).to.include('hi@acme.example').and.include('Your Acme code');
      const mark = partOf(waited, /"mark":"([^"]+)"/);

      // The second mail has words instead of a code.
      await send('Finish signing up', 'Type the words maple river on the page.');
      const nothing = await ask('wait_for_code', { mailbox, mark, timeout: 0 });
      const id = partOf(nothing, /1 message arrived without a code: read (msg_\w+)/);
      const read = await ask('get_message', { mailbox, id });
      expect(partOf(read, /text: \\?"Type the words ([a-z ]+) on the page/)).to.equal(
        'maple river',
      );

      const list = tokensOf(JSON.stringify({ tools: await client.tools() }));
      expect(list, 'tokens of tools/list').to.be.below(2500);
      expect(tokens, 'tokens of four answers').to.be.below(1200);
    });
  });
}
