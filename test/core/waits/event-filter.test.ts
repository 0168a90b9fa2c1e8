/** The start of a stream at a mark: resumed where it was cut, and as fast as the client reads. */
import { get } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { storeDirectly } from '../../support/context/store-directly.ts';
import { service } from '../../support/service.ts';

describe('a stream from a mark', () => {
  const test = service({ mailboxes: ['box'] });

  it('waits for a client that reads slowly, and leaves no message out', async () => {
    const { id } = await test.mailbox('slow');
    const mark = await test.mark('slow');
    const at = test.context.now();
    const ids: string[] = [];
    for (let n = 0; n < 6000; n += 200) {
      const some = Array.from({ length: 200 }, (_, i) =>
        storeDirectly(test.context, id, at + n + i, '', 'x'.repeat(900)),
      );
      ids.push(...(await Promise.all(some)));
    }
    const { url } = await test.listen();
    let text = '';
    await new Promise<void>((resolve, reject) => {
      const headers = { Authorization: `Bearer ${test.workspace.token}` };
      const asked = get(`${url}/api/mailboxes/slow/events?mark=${mark}`, { headers }, (answer) => {
        answer.pause();
        void delay(1500).then(() => {
          answer.on('data', (chunk: Buffer) => {
            text += chunk.toString();
            if (chunk.includes('event: ready')) {
              asked.destroy();
              resolve();
            }
          });
          answer.on('close', () => {
            reject(new Error(`closed after ${text.length}`));
          });
          answer.resume();
        });
      });
    });
    const seen = [...text.matchAll(/"messageId":"(msg_\w+)"/g)].map(([, found]) => found);
    expect(seen).to.have.length(ids.length);
    expect(new Set(seen)).to.deep.equal(new Set(ids));
  }).timeout(60_000);

  it('is resumed after the last message that was read', async () => {
    const mark = await test.mark('box');
    const ids: string[] = [];
    for (const n of [1, 2, 3]) ids.push(await test.receive('box', { subject: `${n}` }));
    const first = await test.follow(`/api/mailboxes/box/events?mark=${mark}`);
    const [one] = await first.next(1);
    expect(one?.id).to.match(/^mark:/);
    const second = await test.follow(`/api/mailboxes/box/events?mark=${mark}`, {
      'Last-Event-ID': one!.id!,
    });
    const rest = await second.next(3);
    expect(rest.map(({ type, data }) => (data as { messageId?: string }).messageId ?? type))
      .to //
      .deep.equal([ids[1], ids[2], 'ready']);
  });
});
