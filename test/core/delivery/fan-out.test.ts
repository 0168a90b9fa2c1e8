import { expect } from 'chai';
import { fanOut } from '../../../core/delivery/fan-out.ts';
import { service } from '../../support/service.ts';

const MESSAGES = 100;
const WEBHOOKS_EACH = 5;

describe('deliveries of a mail with many recipients', () => {
  const test = service();

  it('are created with one lookup per webhook, not per message', () => {
    let looks = 0;
    const mailboxes = Array.from({ length: MESSAGES }, (_, n) => `mbx_${n}`);
    const webhooks = mailboxes.flatMap((mailboxId) =>
      Array.from({ length: WEBHOOKS_EACH }, (_, n) => ({
        id: `whk_${mailboxId}_${n}`,
        active: true,
        get mailboxId() {
          looks += 1;
          return mailboxId;
        },
      })),
    );
    const messages = mailboxes.map((mailboxId, n) => ({ id: `msg_${n}`, mailboxId }));
    const body = fanOut(test.context.store.db, messages, new Date());
    expect(body.next().value).to.include({ kind: 'statement' });
    expect(body.next(webhooks).value).to.include({ kind: 'insertIgnoring' });
    const { value: owed } = body.next(new Set());
    if (!(owed instanceof Map)) throw new Error('the body has not ended');
    expect(looks).to.be.at.most(2 * webhooks.length);
    for (const { id, mailboxId } of messages) {
      const wanted = Array.from({ length: WEBHOOKS_EACH }, (_, n) => `whk_${mailboxId}_${n}`);
      expect(owed.get(id)?.map(({ webhookId }) => webhookId)).to.deep.equal(wanted);
    }
  });
});
