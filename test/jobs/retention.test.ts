import { stat } from 'node:fs/promises';
import Database from 'better-sqlite3';
import { expect } from 'chai';
import { requireMailbox } from '../../core/mailboxes/mailboxes.ts';
import { findMessageWithFiles } from '../../core/messages/messages.ts';
import { expireMessages } from '../../jobs/scheduled.ts';
import { attachmentMail } from '../support/mail/attachment-mail.ts';
import { itOnSqlite, sqliteFile } from '../support/context/sqlite-file.ts';
import { service } from '../support/service.ts';
import { storeDirectly } from '../support/context/store-directly.ts';
import { storedBlobs } from '../support/context/stored-blobs.ts';

const LARGE = attachmentMail([{ name: 'a', bytes: Buffer.alloc(1_048_577, 'large') }]);

interface Shown {
  id: string;
  expiresAt: string;
  attachments: { id: string; url: string }[];
}

describe('retention', () => {
  /** The clock stops between two steps of a test. */
  let now = Date.now();
  beforeEach(() => {
    now = Date.now();
  });
  const test = service({ overrides: { now: () => now }, mailboxes: ['box'] });
  const { api } = test;

  const stored = async () => {
    await test.receive('box', LARGE);
    return (await test.newest('box')) as unknown as Shown;
  };

  it('hides a message everywhere in the same millisecond', async () => {
    const { id, expiresAt } = await stored();
    const message = `/api/mailboxes/box/messages/${id}`;
    now = Date.parse(expiresAt) - 1;
    // Links are created late, because they expire after an hour in any case.
    const { body: shown } = (await api.get(message).expect(200)) as { body: Shown };
    const [{ id: attachment, url } = { id: '', url: '' }] = shown.attachments;
    const link = new URL(url);
    const paths: [path: string, token: null | undefined][] = [
      [message, undefined],
      [`${message}/raw`, undefined],
      [`${message}/attachments/${attachment}`, undefined],
      [`${link.pathname}${link.search}`, null],
    ];
    const seen = async () => {
      const statuses = [];
      for (const [path, token] of paths) statuses.push((await api.get(path, token)).status);
      const list = await api.get('/api/mailboxes/box/messages');
      const { messages, total } = list.body as { messages: Shown[]; total: number };
      const mailboxes = (await api.get('/api/mailboxes')).body as { messageCount: number }[];
      const mailbox = await requireMailbox(test.context, test.caller, 'box');
      const forWebhooks = await findMessageWithFiles(test.context, mailbox.id, id);
      return {
        statuses,
        counts: [messages.length, total, mailboxes[0]?.messageCount, forWebhooks ? 1 : 0],
      };
    };
    expect(await seen()).to.deep.equal({ statuses: [200, 200, 200, 200], counts: [1, 1, 1, 1] });
    now += 1;
    expect(await seen()).to.deep.equal({ statuses: [404, 404, 404, 404], counts: [0, 0, 0, 0] });
  });

  it('responds with 404 for bytes that the blob store has lost, and still shows the message', async () => {
    const { id, attachments } = await stored();
    for (const key of await storedBlobs(test.context)) await test.context.blobs.delete(key);
    const message = `/api/mailboxes/box/messages/${id}`;
    await api.get(message).expect(200);
    for (const path of ['raw', `attachments/${attachments[0]!.id}`]) {
      const { status, body } = await api.get(`${message}/${path}`);
      expect([status, (body as { code: string }).code]).to.deep.equal([404, 'not_found']);
    }
  });

  itOnSqlite(
    'keeps the database file from growing under a steady load, and shrinks it after a peak',
    async () => {
      const mailbox = await requireMailbox(test.context, test.caller, 'box');
      const fill = async (mails: number) => {
        const text = 'x'.repeat(20_000);
        await Promise.all(
          Array.from({ length: mails }, () => storeDirectly(test.context, mailbox.id, now, text)),
        );
      };
      const expire = async () => {
        now += 86_400_000;
        await test.run(expireMessages);
      };
      const size = async () => {
        const database = new Database(sqliteFile(test.config));
        database.pragma('wal_checkpoint(TRUNCATE)');
        database.close();
        return (await stat(sqliteFile(test.config))).size;
      };
      const peaks: number[] = [];
      for (let cycle = 0; cycle < 4; cycle += 1) {
        await fill(1500);
        peaks.push(await size());
        await expire();
      }
      expect(Math.max(...peaks)).to.be.lessThan(peaks[0]! * 1.1);
      expect(await size()).to.be.lessThan(peaks[0]! / 2);
      const { db } = test.context.store;
      expect(await db.select().from(db.t.mails)).to.deep.equal([]);
    },
  );
});
