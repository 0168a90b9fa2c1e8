import { expect } from 'chai';
import { requireMailbox } from '../../../core/mailboxes/mailboxes.ts';
import { requireMessageWithFiles } from '../../../core/messages/messages.ts';
import { ingestMessage } from '../../../jobs/ingest.ts';
import { longestTurn } from '../../hostile/measure.ts';
import { INGEST } from '../../support/context/ingest.ts';
import { acceptMail } from '../../support/context/accept.ts';
import { bombs } from '../../support/mail/bombs.ts';
import { service } from '../../support/service.ts';
import { isLongForm } from '../../support/mocha/long-form.ts';
import { eventually } from '../../support/mocha/eventually.ts';
import { itOnSqlite } from '../../support/context/sqlite-file.ts';
import { whileWorking } from '../../support/context/workers.ts';

/** Above some 200 KB most are parsed in child processes, which heavy-mail.test.ts shows. */
const BYTES = isLongForm ? 250_000 : 125_000;

/**
 * CPU time in one turn of the event loop of the worker. On an idle machine the longest takes about
 * 100 ms; without turns and limits it took 7 s.
 */
const LONGEST_TURN_MS = 1000;

describe('malicious mail', () => {
  const test = service({ env: { VALIDATE_RESPONSES: 'false' }, mailboxes: ['box'] });
  const { api } = test;

  // Parsing does not depend on the database.
  itOnSqlite('is stored with its raw source, and does not block other mail', async () => {
    const mails = bombs.flatMap(({ name, make }) => [
      { name, raw: make(BYTES) },
      { name: '', raw: Buffer.from(`Subject: everyday\r\n\r\nbeside ${name}`) },
    ]);
    const accepted: { id: string; name: string; raw: Buffer }[] = [];
    for (const { name, raw } of mails) {
      const mail = await acceptMail(test.context, ['box@one.test'], raw);
      await test.context.queues.enqueue(ingestMessage, mail, mail.ingestId);
      accepted.push({ id: mail.messages[0]!.id, name, raw });
    }
    const stored = async () =>
      (await api.get('/api/mailboxes')).body[0].messageCount === accepted.length;
    const longest = await longestTurn(() =>
      whileWorking(test, INGEST, () => eventually('all of them to be stored', stored, 120_000)),
    );

    const mailbox = await requireMailbox(test.context, test.caller, 'box');
    for (const { id, name, raw } of accepted) {
      const { mail } = await requireMessageWithFiles(test.context, mailbox, id, () => undefined);
      if (name === '') expect([mail.subject, mail.parseError]).to.deep.equal(['everyday', null]);
      else expect(mail.size, name).to.equal(raw.length);
      const source = await api.get(`/api/mailboxes/box/messages/${id}/raw`).responseType('blob');
      expect(raw.equals(source.body as Buffer), name).to.equal(true);
    }
    expect(longest).to.be.lessThan(LONGEST_TURN_MS);
  });
});
