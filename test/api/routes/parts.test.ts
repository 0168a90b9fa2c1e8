import { expect } from 'chai';
import { service } from '../../support/service.ts';

const INNER = [
  'From: Ann <ann@else.test>',
  'To: bo@else.test',
  'Subject: =?utf-8?q?Gr=C3=BC=C3=9Fe?=',
  'Date: Mon, 02 Mar 2026 09:15:00 +0100',
  'Content-Type: multipart/mixed; boundary=i',
  '',
  '--i',
  'Content-Type: text/plain; charset=iso-8859-1',
  'Content-Transfer-Encoding: quoted-printable',
  '',
  'Sch=F6n',
  '--i',
  'Content-Type: text/csv',
  'Content-Disposition: attachment; filename=a.csv',
  '',
  'a;b',
  '--i--',
].join('\n');

interface Node {
  section: string | null;
  type: string;
  size: number;
  parts: Node[];
}

const sectionsOf = ({ section, type, parts }: Node): (string | null)[] => [
  `${section} ${type}`,
  ...parts.flatMap(sectionsOf),
];

describe('parts of a message over HTTP', () => {
  const test = service({ mailboxes: ['box'], env: { RATE_LIMIT_PRO: '0' } });
  const { api } = test;

  const arrive = async (mail: Parameters<typeof test.receive>[1]) =>
    `/api/mailboxes/box/messages/${await test.receive('box', mail)}/parts`;
  const nested = {
    html: '<p>hi</p>',
    text: 'hi',
    parts: [
      `Content-Type: message/rfc822\nContent-Disposition: attachment\nContent-Description: inner\n\n${INNER}`,
      'Content-Type: image/png; name="=?utf-8?q?B=C3=A4r=2Epng?="\nContent-Transfer-Encoding: base64\nContent-ID: <c@x>\n\nAAEC/w==',
    ],
  };

  describe('GET .../parts', () => {
    it('200: the tree, with the parts of enclosed mails', async () => {
      const { body } = await api.get(await arrive(nested)).expect(200);
      const { root, fault } = body as { root: Node; fault: string | null };
      expect(fault).to.equal(null);
      expect(sectionsOf(root)).to.deep.equal([
        ...['null multipart/mixed', '1 text/plain', '2 text/html', '3 message/rfc822'],
        ...['3.1 text/plain', '3.2 text/csv', '4 image/png'],
      ]);
      expect(root.parts[3]).to.deep.include({
        ...{ section: '4', encoding: 'base64', filename: 'Bär.png', contentId: 'c@x', size: 4 },
        ...{ disposition: null, description: null, parts: [] },
      });
      expect(root.parts[2]).to.include({ disposition: 'attachment', description: 'inner' });
    });

    it('200: a mail of one part', async () => {
      const { body } = await api.get(await arrive('Subject: x\r\n\r\nhello')).expect(200);
      expect(sectionsOf((body as { root: Node }).root)).to.deep.equal(['1 text/plain']);
    });

    it('200: of a hostile mail, the first 1,000 parts and 10 enclosed mails', async () => {
      const many = `Content-Type: multipart/mixed; boundary=b\r\n\r\n${'--b\r\n\r\nx\r\n'.repeat(3000)}`;
      const first = (await api.get(await arrive(many)).expect(200)).body as { fault: string };
      expect(first.fault).to.equal('more than 1000 parts');
      const deep = `${'Content-Type: message/rfc822\r\n\r\n'.repeat(100)}Subject: x\r\n\r\nx`;
      const deepPath = await arrive(deep);
      const second = (await api.get(deepPath).expect(200)).body as {
        root: Node;
        fault: string;
      };
      expect(second.fault).to.equal('more than 10 mails inside each other');
      expect(sectionsOf(second.root)).to.have.length(11);
      const within = (parts: number) => `1${'.1'.repeat(parts - 1)}`;
      await api.get(`${deepPath}/${within(10)}/message`).expect(200);
      await api.get(`${deepPath}/${within(11)}`).expect(200);
      const below = await api.get(`${deepPath}/${within(11)}/message`).expect(404);
      expect(below.body.error).to.include('10 deep');
      await api.get(`${deepPath}/${within(12)}`).expect(404);
      const inside = `Content-Type: message/rfc822\r\n\r\n${many}`;
      const fourth = (await api.get(await arrive(inside)).expect(200)).body as { fault: string };
      expect(fourth.fault).to.equal('more than 1000 parts');
      const open = Array.from(
        { length: 100 },
        (_, n) => `Content-Type: multipart/mixed; boundary=b${n}\r\n\r\n--b${n}\r\n`,
      );
      const third = await api.get(await arrive(`${open.join('')}\r\nx`)).expect(200);
      expect(sectionsOf((third.body as { root: Node }).root)).to.have.length(101);
    });

    it('200: of a mail above 1 MiB, whose source is in the blob store', async () => {
      const large = { text: 'hi', parts: [`Content-Type: text/plain\n\n${'x'.repeat(2_000_000)}`] };
      const path = await arrive(large);
      const { body } = await api.get(path).expect(200);
      expect((body as { root: Node }).root.parts[1]).to.include({ section: '2', size: 2_000_000 });
      const { text } = await api.get(`${path}/1`).expect(200);
      expect(text).to.equal('hi');
    });

    it('200: the size of the content, which is encoded only if the delimiters are', async () => {
      const inner = '--b\r\nContent-Type: text/plain\r\n\r\na=3Db\r\n--b--';
      const sent: [encoding: string, body: string, shown: string][] = [
        ['quoted-printable', inner, 'identity'],
        ['base64', inner, 'identity'],
        ['base64', Buffer.from(inner).toString('base64'), 'base64'],
      ];
      for (const [encoding, body, shown] of sent) {
        const fields = `Content-Type: multipart/mixed; boundary=b\r\nContent-Transfer-Encoding: ${encoding}`;
        const path = await arrive(`${fields}\r\n\r\n${body}`);
        const { root } = (await api.get(path).expect(200)).body as { root: Node };
        expect(root).to.include({ encoding: shown, size: inner.length });
        expect(root.parts[0]).to.include({ section: '1', size: 'a=3Db'.length });
      }
    });

    it('404: expired', async () => {
      const path = await arrive({});
      test.advance(86_400_000 * 2);
      await api.get(path).expect(404);
    });
  });

  describe('GET .../parts/{section}', () => {
    it('200: the decoded bytes, as a download with a safe type', async () => {
      const path = await arrive(nested);
      const { body, headers } = await api.get(`${path}/4`).expect(200);
      expect(body).to.deep.equal(Buffer.from([0, 1, 2, 255]));
      expect(headers).to.include({
        'content-type': 'image/png',
        'x-content-type-options': 'nosniff',
        'content-security-policy': "sandbox; default-src 'none'",
      });
      expect(headers['content-disposition']).to.match(/^attachment; filename="B.r\.png"/);
      const html = await api.get(`${path}/2`).expect(200);
      expect(html.headers['content-type']).to.equal('application/octet-stream');
      const inner = await api.get(`${path}/3.1`).expect(200);
      expect(inner.text).to.equal('Sch\ufffdn'); // bytes of ISO-8859-1
    });

    it('404: no such part', async () => {
      const path = await arrive(nested);
      for (const section of ['5', '3.3', '1.1', '3.1.1', '99999999999']) {
        await api.get(`${path}/${section}`).expect(404);
      }
    });

    it('400: a section that is none', async () => {
      const path = await arrive({});
      for (const section of ['0', 'TEXT', '1.', '01'])
        await api.get(`${path}/${section}`).expect(400);
    });
  });

  describe('GET .../parts/{section}/message', () => {
    it('200: the enclosed mail', async () => {
      const { body } = await api.get(`${await arrive(nested)}/3/message`).expect(200);
      expect(body).to.deep.include({
        ...{ from: 'ann@else.test', fromName: 'Ann', to: ['bo@else.test'], subject: 'Grüße' },
        ...{ text: 'Schön', preview: 'Schön', date: '2026-03-02T08:15:00.000Z' },
        size: INNER.length + INNER.split('\n').length - 1,
      });
      expect(body.attachments).to.have.length(1);
      expect(body.attachments[0]).to.include({
        ...{ filename: 'a.csv', disposition: 'attachment', size: 3, section: '3.2' },
      });
      expect(body).to.not.have.any.keys('id', 'envelope', 'html');
    });

    it('200: an enclosed mail above 1 MiB, which is parsed in a child process', async () => {
      const inner = `Subject: inner\r\n\r\n${'a line of text\r\n'.repeat(70_000)}`;
      const path = await arrive(`Content-Type: message/rfc822\r\n\r\n${inner}`);
      let parsedHere = 0;
      test.context.ingest.parsePool.parseInline = () => {
        parsedHere += 1;
        return Promise.resolve(null);
      };
      const { body } = await api.get(`${path}/1/message`).expect(200);
      expect(body).to.include({ subject: 'inner', size: inner.length });
      expect(parsedHere).to.equal(0);
    });

    it('404: the part is no mail, or does not exist', async () => {
      const path = await arrive(nested);
      await api.get(`${path}/1/message`).expect(404);
      await api.get(`${path}/9/message`).expect(404);
    });
  });
});
