import { expect } from 'chai';
import { type McpClient, connectMcp } from '../support/clients/mcp-client.ts';
import { service } from '../support/service.ts';

const MIB = 1024 * 1024;

describe('get_message with attachments', () => {
  const test = service({ env: { RATE_LIMIT_PRO: '0' }, mailboxes: ['box'] });
  let client: McpClient;

  beforeEach(async () => {
    client = await connectMcp({ url: (await test.listen()).url, token: test.workspace.token });
  });
  afterEach(() => client.close());

  const part = (type: string, name: string, content: string | Buffer) =>
    [
      `Content-Type: ${type}`,
      `Content-Disposition: attachment; filename="${name}"`,
      'Content-Transfer-Encoding: base64',
      '',
      Buffer.from(content).toString('base64').replace(/.{76}/g, '$&\n'),
    ].join('\n');
  const read = (id: string, args: object) =>
    client.call('get_message', { mailbox: 'box', id, ...args });
  const textOf = async (id: string, args: object) => {
    const { structuredContent = {} } = await read(id, args);
    const words = structuredContent.words as string[];
    return { ...structuredContent, words: words.map((line) => line.slice(33)) };
  };

  it('reads a text in its character set, and HTML as a reader sees it', async () => {
    const id = await test.receive('box', {
      text: 'See the files.',
      parts: [
        part(
          'text/csv; charset=iso-8859-1',
          'orders.csv',
          Buffer.from('name\nM\xfcller', 'latin1'),
        ),
        part('text/html', 'page.html', '<p>Shown<p hidden>hidden'),
        part('application/problem+json', 'problem.json', '{"title":"Gone"}'),
      ],
    });
    const message = await textOf(id, {});
    expect(message.words).to.include.members([
      'attachment 1: "text/csv; charset=iso-8859-1: orders.csv"',
      'attachment 2: "text/html: page.html"',
    ]);
    expect(await textOf(id, { attachment: 1 })).to.deep.include({
      ...{ id, attachment: 1, textCharacters: 11, nextOffset: null, truncated: false },
      words: ['text: "name"', 'text: "Müller"'],
    });
    expect(await textOf(id, { attachment: 1, offset: 5 })).to.deep.include({
      words: ['text: "Müller"'],
    });
    expect(await textOf(id, { attachment: 2 })).to.deep.include({
      ...{ hiddenCharacters: 6, words: ['text: "Shown"'] },
    });
    expect((await textOf(id, { attachment: 3 })).words).to.deep.equal([
      'text: "{\\"title\\":\\"Gone\\"}"',
    ]);
  });

  it('names where answers go, a delivery report and an event beside the text', async () => {
    const raw = [
      'From: a@b.test\r\nReply-To: help@b.test\r\nSubject: Undelivered',
      'Content-Type: multipart/report; report-type=delivery-status; boundary=b\r\n',
      '--b\r\n\r\nNot delivered',
      '--b\r\nContent-Type: message/delivery-status\r\n\r\nReporting-MTA: dns; mx.b.test\r\n',
      'Final-Recipient: rfc822; gone@b.test\r\nAction: failed\r\nStatus: 5.1.1',
      'Diagnostic-Code: smtp; 550 no such user',
      '--b\r\nContent-Type: text/calendar; method=REQUEST\r\n',
      'BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:x\r\nMETHOD:REQUEST\r\nBEGIN:VEVENT\r\nUID:1',
      'DTSTAMP:20300101T000000Z\r\nDTSTART;VALUE=DATE:20300102\r\nSUMMARY:Team day',
      'END:VEVENT\r\nEND:VCALENDAR\r\n--b--',
    ];
    const { words } = await textOf(await test.receive('box', raw.join('\r\n')), {});
    expect(words).to.include.members([
      'replyTo: "help@b.test"',
      'bounce: "gone@b.test failed 5.1.1 550 no such user"',
      'event: "REQUEST 2030-01-02 Team day"',
    ]);
  });

  it('says why a message was read in part', async () => {
    const parts = '--b\r\n\r\nx\r\n'.repeat(1100);
    const raw = `Content-Type: multipart/mixed; boundary=b\r\n\r\n${parts}`;
    const { words } = await textOf(await test.receive('box', raw), {});
    expect(JSON.stringify(words)).to.include('parseError: \\"more than ');
  });

  it('reads the first 1 MiB', async () => {
    const parts = [part('text/plain', 'long.txt', 'x'.repeat(2 * MIB))];
    const id = await test.receive('box', { text: 'See the file.', parts });
    const { structuredContent } = await read(id, { attachment: 1, offset: MIB - 3 });
    expect(structuredContent).to.include({
      textCharacters: MIB,
      nextOffset: null,
      truncated: true,
    });
    expect(JSON.stringify(structuredContent?.words)).to.include('text: \\"xxx\\"');
  });

  it('refuses what is no text, and what there is not', async () => {
    const parts = [part('application/pdf', 'invoice.pdf', '%PDF-1.7')];
    const id = await test.receive('box', { text: 'See the file.', parts });
    const pdf = await read(id, { attachment: 1 });
    expect(pdf.isError).to.equal(true);
    expect(pdf.content[0]?.text).to.equal('Attachment 1 is not a text. (unprocessable)');
    const none = await read(id, { attachment: 2 });
    expect(none.content[0]?.text).to.equal('No such attachment: 2. The message has 1. (not_found)');
  });
});
