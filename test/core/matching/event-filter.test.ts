import { expect } from 'chai';
import type { Contents } from '../../../core/matching/contents.ts';
import { eventFilter } from '../../../core/matching/event-filter.ts';
import { requireMailbox } from '../../../core/mailboxes/mailboxes.ts';
import { service } from '../../support/service.ts';

describe('the start of a filtered stream', () => {
  const test = service({ mailboxes: ['box'] });

  it('comes in pieces of a second, which leave no message out', async () => {
    const ids: string[] = [];
    for (let n = 0; n < 5; n += 1) ids.push(await test.receive('box', { subject: `${n}` }));
    const mailbox = await requireMailbox(test.context, test.caller, 'box');
    const now = performance.now.bind(performance);
    let passed = 0;
    /** Takes 600 ms for a message. */
    const contents: Contents = {
      async *test(rows, _criteria, { isOver } = {}) {
        for (const row of rows) {
          if (isOver?.()) return;
          yield await Promise.resolve({ row, tested: { subject: '', failed: [] } });
          passed += 600;
        }
      },
    };
    const start = { mailbox, after: 0, isGone: () => false };
    const filter = eventFilter(test.context, contents, test.caller, { criteria: [], start })!;
    const pieces: unknown[][] = [];
    performance.now = () => now() + passed;
    try {
      for await (const events of filter.earlier()) {
        pieces.push(events.map(({ messageId }) => messageId));
      }
    } finally {
      performance.now = now;
    }
    expect(pieces).to.deep.equal([ids.slice(0, 3), ids.slice(3)]);
  });
});
