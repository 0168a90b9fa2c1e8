import { expect } from 'chai';
import { asAppError } from '../../../core/errors.ts';
import type { AcceptedMail } from '../../../core/intake/accepted-mail.ts';
import { hasIngestJob } from '../../../core/intake/ingest-job.ts';
import { ingestMessage } from '../../../jobs/ingest.ts';
import { INGEST, ingestNow } from '../../support/context/ingest.ts';
import { deleteBlobs, purgeMailbox } from '../../../jobs/removal.ts';
import { acceptMail } from '../../support/context/accept.ts';
import { attachmentMail } from '../../support/mail/attachment-mail.ts';
import { service } from '../../support/service.ts';
import { eventually } from '../../support/mocha/eventually.ts';
import { storedBlobs } from '../../support/context/stored-blobs.ts';
import { whileWorking } from '../../support/context/workers.ts';

const ROUNDS = 12;
const LARGE = attachmentMail([{ name: 'a', bytes: Buffer.alloc(1_048_577, 'large') }]);

describe('deletion concurrent with inbound mail', () => {
  const test = service();
  const { api } = test;

  const accept = async (name: string) => {
    await test.mailbox(name);
    const mail = await acceptMail(test.context, [`${name}@one.test`], LARGE);
    await test.context.queues.enqueue(ingestMessage, mail, mail.ingestId);
    return mail;
  };
  const isDone = async ({ ingestId }: AcceptedMail) =>
    !(await hasIngestJob(test.context, ingestId));
  // Their listing may fail while they are deleted.
  const nothingStored = () =>
    eventually('all blobs to go', async () => {
      const keys = await storedBlobs(test.context).catch(() => null);
      return keys?.length === 0;
    });
  const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

  it('of the mailbox leaves no rows, blobs or errors', async () => {
    await whileWorking(test, [...INGEST, purgeMailbox, deleteBlobs], async () => {
      for (let round = 0; round < ROUNDS; round += 1) {
        const name = `box-${round}`;
        const mail = await accept(name);
        await pause(round * 10); // before, while and after the mail is stored
        await api.delete(`/api/mailboxes/${name}`).expect(204);
        await eventually('the job to end', () => isDone(mail));
      }
      await nothingStored();
      const { db } = test.context.store;
      await eventually('the rows to go', async () => {
        const rows = [
          await db.select().from(db.t.messages),
          await db.select().from(db.t.mailboxes),
        ];
        return rows.flat().length === 0;
      });
      expect(await test.context.redis.get(`${test.config.redisPrefix}:raw:bytes`)).to.equal('0');
    });
  });

  /**
   * Runs the jobs as the queues do: again if the blob is deleted meanwhile.
   */
  const work = async (mail: AcceptedMail) => {
    try {
      await ingestNow(test.context, mail);
    } catch (error) {
      if (asAppError(error)?.code !== 'unavailable') throw error;
      await work(mail);
    }
  };

  it('of the message leaves no blobs, also while its job runs again', async () => {
    await test.mailbox();
    await whileWorking(test, [deleteBlobs], async () => {
      for (let round = 0; round < ROUNDS; round += 1) {
        const mail = await acceptMail(test.context, ['box@one.test'], LARGE);
        await work(mail);
        const [answer] = await Promise.all([
          pause(round * 4).then(() =>
            api.delete(`/api/mailboxes/box/messages/${mail.messages[0]!.id}`),
          ),
          work(mail),
        ]);
        expect(answer.status).to.equal(204);
      }
      await nothingStored();
    });
  });
});
