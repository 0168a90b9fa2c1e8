import { expect } from 'chai';
import { eventually } from '../support/mocha/eventually.ts';
import { type Shown, differences, mailCases } from '../support/mail/mail-case.ts';
import type { Product } from '../support/process/product.ts';
import { sharedProduct } from '../support/process/shared-product.ts';

/** SMTP refuses mail with a line end that is not CRLF. */
const BARE_LINE_END = /(?:^|[^\r])\n|\r(?!\n)/;

/** Every eighth case; all of them are parsed without the product by a test of the parser. */
const CASES = mailCases()
  .filter(({ raw }) => !BARE_LINE_END.test(raw.toString('latin1')))
  .filter((_case, n) => n % 8 === 0);

/** Cases about what is read from a message that is stored. */
const READ = mailCases().filter(
  ({ expected: { codeIn, extracted, htmlView, preview } }) =>
    codeIn ?? extracted ?? htmlView ?? preview,
);
const PICTURE = 'data:image/png;base64,';

interface Message {
  id: string;
  from: string;
  fromName?: string;
  to: string[];
  tag?: string;
  cc?: string[];
  subject: string;
  text?: string;
  html?: string;
  messageIdHeader?: string;
  parseError?: string;
  attachments: Shown['attachments'];
}

describe('odd mail', () => {
  let product: Product;
  before(async () => {
    product = await sharedProduct();
    await product.rest.createMailbox('odd');
  });

  const request = (path: string, init: RequestInit = {}) =>
    fetch(`${product.apiUrl}/mailboxes/odd/messages${path}`, {
      ...init,
      headers: {
        Authorization: `Bearer ${product.token}`,
        ...(init.body ? { 'Content-Type': 'message/rfc822' } : {}),
      },
    });

  async function shown(id: string): Promise<Shown> {
    const answer = await request(`/${id}`);
    expect(answer.status).to.equal(200);
    const message = (await answer.json()) as Message;
    const { headers } = (await (await request(`/${id}/headers`)).json()) as Pick<Shown, 'headers'>;
    const { from, fromName = null, to, cc = [], text = null, html = null } = message;
    const { messageIdHeader = null, parseError = null, subject } = message;
    // A file without a name has one by its position.
    const attachments = message.attachments.map(({ filename, ...rest }) => ({
      ...rest,
      filename: filename?.startsWith('attachment-') ? null : filename,
    }));
    const sender = { address: from, name: fromName };
    const lists = { to, cc, attachments, headers };
    return { from: sender, ...lists, subject, text, html, messageIdHeader, parseError };
  }

  it('shows its text, pictures, code and preview', async () => {
    for (const { id, expected, raw } of READ) {
      const stored = await request('/raw', { method: 'POST', body: new Uint8Array(raw) });
      const { messageId } = (await stored.json()) as { messageId: string };
      const read = async (view: string) => (await request(`/${messageId}${view}`)).text();
      const { codeIn, extracted, htmlView, preview } = expected;
      if (codeIn) expect(await read('/text'), id).to.include(codeIn);
      if (htmlView) expect((await read('/html')).split(PICTURE).length - 1, id).to.equal(htmlView);
      if (extracted) expect(JSON.parse(await read('/extracted')), id).to.include(extracted);
      if (preview) expect(JSON.parse(await read('')), id).to.include({ preview });
    }
  });

  it('is shown as its author meant it when it arrives by SMTP', async () => {
    for (const [n, { id, expected, raw }] of CASES.entries()) {
      // SMTP ends each line, also the last one.
      const hasEnd = raw.subarray(-2).toString() === '\r\n';
      await product.send(`odd+case${n}`, [
        hasEnd ? raw : Buffer.concat([raw, Buffer.from('\r\n')]),
      ]);
      const message = await eventually(id, async () => {
        const page = (await (await request('?limit=1')).json()) as { messages: Message[] };
        return page.messages.find(({ tag }) => tag === `case${n}`);
      });
      expect(differences(expected, await shown(message.id)), id).to.deep.equal([]);
    }
  });
});
