import { expect } from 'chai';
import { eventually } from '../../support/mocha/eventually.ts';
import { service } from '../../support/service.ts';

const part = (n: number) =>
  `--b\r\nContent-Disposition: attachment; filename=f${n}\r\n\r\n${n}\r\n`;
/** Exceeds the limits of the web process. */
const mail = (subject: string) =>
  `Subject: ${subject}\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n` +
  `${Array.from({ length: 150 }, (_, n) => part(n)).join('')}--b--\r\n`;

describe('POST .../messages/raw of mail that is slow to parse', () => {
  const test = service({ mailboxes: ['box'], env: { RATE_LIMIT_PRO: '0' } });

  const upload = async (subject: string, token?: string) => {
    const path = '/api/mailboxes/box/messages/raw?to=a@b.test';
    const request = test.api.post(path, token).type('message/rfc822');
    const { body } = await request.send(mail(subject)).expect(201);
    return (body as { messageId: string }).messageId;
  };

  it('stores all of it after the short time limit', async () => {
    test.context.ingest.parsePool.parseQuickly = () => Promise.resolve(null);
    const id = await upload('slow');
    const { body } = await test.api.get(`/api/mailboxes/box/messages/${id}`).expect(200);
    expect(body).to.not.have.property('parseError');
    expect(body.attachments).to.have.length(150);
  });

  it('does not delay the mail of another workspace by more than one', async () => {
    const stranger = await test.stranger();
    await test.api.post('/api/mailboxes', stranger).send({ name: 'box' }).expect(201);
    const { parsePool } = test.context.ingest;
    const { parse } = parsePool;
    const begun: string[] = [];
    let quick = 0;
    let goOn = () => {};
    const held = new Promise<void>((resolve) => (goOn = resolve));
    const subject = (raw: unknown) => /Subject: (\w+)/.exec(String(raw))?.[1] ?? '';
    // Without the time limit, which a busy machine exceeds.
    parsePool.parseQuickly = async (raw) => {
      quick += 1;
      return subject(raw) === 'quick' ? parse(raw) : null;
    };
    parsePool.parse = async (raw) => {
      begun.push(subject(raw));
      await held;
      return parse(raw);
    };
    const ours = Promise.all(['one', 'two', 'three'].map((name) => upload(name)));
    // Awaited only at the end: a failure before ends this test alone.
    ours.catch(goOn);
    await eventually('the mails of one workspace', () => quick === 3 && begun.length === 1);
    const theirs = upload('theirs', stranger);
    theirs.catch(goOn);
    await eventually('the mail of the other', () => quick === 4);
    await upload('quick', stranger);
    expect(begun).to.have.length(1);
    goOn();
    await Promise.all([ours, theirs]);
    expect(begun).to.have.length(4);
    expect(begun[1]).to.equal('theirs');
  });
});
