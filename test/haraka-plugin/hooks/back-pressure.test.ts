import { join } from 'node:path';
import { Redis } from 'ioredis';
import { expect } from 'chai';
import { eventually } from '../../support/mocha/eventually.ts';
import { mountSmallDisk } from '../../support/servers/small-disk.ts';
import { smtp } from '../../support/process/smtp-front.ts';
import { statusOf } from '../../support/clients/smtp-client.ts';

const line = `${'x'.repeat(70)}\r\n`;
const mail = (bytes: number) =>
  Buffer.from(`Subject: x\r\n\r\n${line.repeat(bytes / line.length)}`);
const SMALL = mail(2000);
const LARGE = mail(1_500_000);

describe('SMTP: back-pressure', () => {
  const front = smtp();
  const send = async (data: Buffer) => statusOf(await front.send(data));
  const isTakenAgain = (data: Buffer) =>
    eventually('mail to be taken again', async () => (await send(data)) === '250 2.0.0');

  it('replies 451 while the disk for large mail is full, and accepts small mail', async function () {
    const disk = await mountSmallDisk(join(front.dataDir, 'blobs'), 8);
    if (!disk) this.skip();
    try {
      expect(await send(LARGE)).to.equal('250 2.0.0');
      await disk.fill();
      expect(await send(LARGE)).to.equal('451 4.3.0');
      expect(await send(SMALL)).to.equal('250 2.0.0');
      await disk.free();
      await isTakenAgain(LARGE);
    } finally {
      await disk.unmount();
    }
  });

  it('replies 452 while Redis is full, stores nothing, and accepts mail again', async () => {
    expect(await send(SMALL)).to.equal('250 2.0.0');
    const redis = new Redis(front.redis.socket);
    const stored = await redis.hlen('{mayfly}:raw:sizes');
    await redis.config('SET', 'maxmemory', '1mb');
    expect(await send(mail(900_000))).to.equal('452 4.3.1');
    await redis.config('SET', 'maxmemory', '0');
    expect(await redis.hlen('{mayfly}:raw:sizes')).to.equal(stored);
    redis.disconnect();
    await isTakenAgain(SMALL);
  });

  it('leaves memory of Redis to others, if it ends before the limit of waiting bytes', async () => {
    await front.client.config('SET', 'maxmemory', '24mb');
    const mail400KB = mail(400_000);
    const sendTo = async (name: string) => {
      return statusOf(await front.send(mail400KB, [`${name}@acme.test`]));
    };
    const answers: string[] = [];
    for (let n = 0; n < 40; n += 1) answers.push(await sendTo('alice'));
    expect(answers[0]).to.equal('250 2.0.0');
    expect(answers.at(-1)).to.equal('452 4.3.1');
    expect(await sendTo('bob')).to.equal('250 2.0.0');
    await new Promise((resolve) => setTimeout(resolve, 300)); // no reply of Redis is recent
    expect(await sendTo('alice')).to.equal('452 4.3.1');
    expect(await sendTo('bob')).to.equal('250 2.0.0');
  });

  it('replies 452 above the limit of waiting bytes, and accepts mail again below it', async () => {
    await front.restart({ INGEST_MAX_QUEUED_BYTES: '1000' });
    expect(await send(SMALL)).to.equal('250 2.0.0');
    expect(await send(SMALL)).to.equal('452 4.3.1');
    await front.client.set('{mayfly}:raw:bytes', '0');
    await front.client.del('{mayfly}:raw:loads');
    await isTakenAgain(SMALL);
  });

  it('replies 452 to a workspace whose mail takes what others leave, and not to another', async () => {
    await front.restart({ INGEST_MAX_QUEUED_BYTES: '1000000' });
    const mail = Buffer.from(`Subject: x\r\n\r\n${'x'.repeat(200)}\r\n`.repeat(200));
    const sendTo = async (name: string) => statusOf(await front.send(mail, [`${name}@acme.test`]));
    const answers: string[] = [];
    for (let n = 0; n < 20; n += 1) answers.push(await sendTo('alice'));
    const taken = answers.filter((answer) => answer === '250 2.0.0').length;
    expect(taken).to.be.within(8, 12); // half of the bytes
    expect(answers.slice(taken)).to.deep.equal(Array(20 - taken).fill('452 4.3.1'));
    expect(await sendTo('bob')).to.equal('250 2.0.0');
    await new Promise((resolve) => setTimeout(resolve, 300)); // no reply of Redis is recent
    expect(await sendTo('alice')).to.equal('452 4.3.1');
    expect(await sendTo('bob')).to.equal('250 2.0.0');
  });
});
