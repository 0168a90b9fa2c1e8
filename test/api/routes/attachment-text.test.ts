import { expect } from 'chai';
import { service } from '../../support/service.ts';

const MAX_BYTES = 1024 * 1024;
const file = (type: string, content: string) =>
  `Content-Type: ${type}\nContent-Disposition: attachment; filename=a\n\n${content}`;

describe('GET /api/mailboxes/:name/messages/:id/attachments/:attachmentId/text', () => {
  const test = service({ mailboxes: ['box', 'other'] });

  /** The path of the text of the first attachment. */
  const receive = async (type: string, content: string) => {
    const id = await test.receive('box', { text: 'x', parts: [file(type, content)] });
    const { body } = await test.api.get(`/api/mailboxes/box/messages/${id}`).expect(200);
    const [attachment] = body.attachments as [{ id: string }];
    return `/api/mailboxes/box/messages/${id}/attachments/${attachment.id}/text`;
  };

  for (const type of ['text/csv', 'application/yaml', 'application/x-ndjson', 'image/svg+xml'])
    it(`200: ${type}`, async () => {
      const { headers, text } = await test.api.get(await receive(type, 'a;b')).expect(200);
      expect(headers['content-type']).to.equal('text/plain; charset=utf-8');
      expect(text.trim()).to.equal('a;b');
    });

  it('200: the first 1,048,576 bytes', async () => {
    const line = `${'x'.repeat(79)}\n`;
    const { text } = await test.api
      .get(await receive('text/plain', line.repeat(20_000)))
      .expect(200);
    expect(text).to.have.length(MAX_BYTES);
  });

  it('422: no text', async () => {
    await test.api.get(await receive('application/pdf', '%PDF')).expect(422);
  });
});
