import { expect } from 'chai';
import { openMailWriter } from '../../../core/ingest/writer.ts';
import { newId } from '../../../core/ids.ts';
import { registerWebhook } from '../../../core/webhooks/webhooks.ts';
import type { MailRows } from '../../../db/statements/mails.ts';
import type { Store } from '../../../db/store.ts';
import { service } from '../../support/service.ts';
import { QUICK_WEBHOOKS } from '../../support/context/webhooks.ts';

const WEBHOOKS = 5;
/** Mails that fit into one transaction, with two messages each and five deliveries per message. */
const AT_ONCE = Math.floor((8 * 1024) / (4 * 2 * (1 + WEBHOOKS)));

describe('the mail writer', () => {
  const test = service({
    env: { ...QUICK_WEBHOOKS, WEBHOOKS_PER_MAILBOX: '0' },
    once: true,
  });
  let mailboxIds: string[];
  let groups: number;
  let writer: ReturnType<typeof openMailWriter>;

  before(async () => {
    mailboxIds = [];
    for (const name of ['first', 'second', 'third']) {
      mailboxIds.push((await test.mailbox(name)).id);
      if (name === 'third') continue;
      for (let n = 0; n < WEBHOOKS; n += 1) {
        await registerWebhook(test.context, test.caller, name, 'http://127.0.0.1:8080/');
      }
    }
  });
  beforeEach(() => {
    const { store, now, metrics } = test.context;
    groups = 0;
    const counting: Store = {
      ...store,
      transaction: (body) => {
        groups += 1;
        return store.transaction(body);
      },
    };
    writer = openMailWriter(counting, now, 86_400_000, metrics.mail);
  });

  const mail = (mailboxes: string[]): MailRows => {
    const now = test.context.now();
    const id = newId('mail', now);
    const empty = { text: null, html: null, raw: null, rawBlobKey: null, parseError: null };
    const head = { fromName: null, to: [], cc: [], subject: '', messageIdHeader: null };
    return {
      mail: {
        ...{ id, ingestId: newId('ingest', now), fromAddress: 'a@b.test', size: 0 },
        ...{ attachmentCount: 0, ...head, ...empty },
      },
      messages: mailboxes.map((mailboxId) => ({
        ...{ id: newId('message', now), mailId: id, mailboxId, tag: null, bodyBytes: 0 },
        ...{ recipient: 'x@one.test', receivedAt: new Date(now) },
      })),
      attachments: [],
      conditions: null,
    };
  };
  const write = (count: number, mailboxes: string[]) =>
    Promise.all(Array.from({ length: count }, () => writer.add(mail(mailboxes))));

  it('writes as many small mails at once as allowed', async () => {
    await write(200, [mailboxIds[2]!]);
    expect(groups).to.equal(1);
  });

  it('writes fewer mails at once if they have more deliveries', async () => {
    const both = [mailboxIds[0]!, mailboxIds[1]!];
    await write(1, both);
    groups = 0;
    await write(AT_ONCE, both);
    expect(groups).to.equal(1);
    groups = 0;
    await write(AT_ONCE + 1, both);
    expect(groups).to.equal(2);
  });
});
