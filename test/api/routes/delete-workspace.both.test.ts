import { expect } from 'chai';
import type { Store } from '../../../db/store.ts';
import { deleteBlobs } from '../../../jobs/removal.ts';
import { deliverWebhook } from '../../../jobs/deliver-webhook.ts';
import { recipientOf } from '../../../core/addresses.ts';
import { deleteWorkspace } from '../../../core/retention/delete-workspace.ts';
import { createWorkspace, findWorkspace } from '../../../core/workspaces/workspaces.ts';
import { attachmentMail } from '../../support/mail/attachment-mail.ts';
import { eventually } from '../../support/mocha/eventually.ts';
import { type Receiver, openReceiver } from '../../support/servers/receiver.ts';
import { storedBlobs } from '../../support/context/stored-blobs.ts';
import { QUICK_WEBHOOKS, openWebhookBench } from '../../support/context/webhooks.ts';
import { whileWorking } from '../../support/context/workers.ts';
import { service } from '../../support/service.ts';

const LARGE = attachmentMail([{ name: 'large.bin', bytes: Buffer.alloc(1_500_000, 'x') }]);

describe('the deletion of a workspace', () => {
  const test = service({ env: QUICK_WEBHOOKS });
  const { api, follow, mailbox, receive } = test;
  let receiver: Receiver;

  beforeEach(async () => {
    receiver = await openReceiver();
  });
  afterEach(async () => {
    await receiver.close();
  });

  const deleteOne = async () => {
    const context = await test.another();
    return deleteWorkspace(context, await findWorkspace(context, 'one.test'));
  };
  const lookup = (name: string, domain: string) =>
    test.context.directory.lookup(recipientOf(name, domain));
  /** A mailbox with mail, a blob, and a completed delivery. */
  const fill = async () => {
    const bench = await openWebhookBench(test, receiver.url);
    await whileWorking(test, [deliverWebhook], async () => {
      await bench.mail(LARGE);
      await bench.settled('delivered');
    });
  };
  const counts = async () => {
    const { db } = test.context.store;
    const { instances, mails, ...tables } = db.t;
    expect([instances, mails]).to.have.length(2); // these belong to no workspace
    const entries = Object.entries(tables).map(async ([name, table]) => {
      return [name, (await db.select().from(table)).length] as const;
    });
    return Object.fromEntries(await Promise.all(entries));
  };

  it('removes every row and blob, and does not affect another workspace', async () => {
    const other = await createWorkspace(test.context, {
      ...{ name: 'two', domain: 'two.test', plan: 'pro' },
    });
    await api.post('/api/mailboxes', other.token).send({ name: 'box' }).expect(201);
    await receive('box@two.test', LARGE);
    const before = await counts();
    const [blobs, keys] = [await storedBlobs(test.context), await test.context.redis.keys('*')];

    await fill();
    await mailbox('empty');
    await api.delete('/api/mailboxes/empty').expect(204);
    await api.post('/api/tokens').send({ name: 'second' }).expect(201);
    await api.post('/api/session').expect(201);
    expect(await storedBlobs(test.context)).to.have.length.greaterThan(blobs.length);

    await whileWorking(test, [deleteBlobs], async () => {
      expect(await deleteOne()).to.deep.equal({ mailboxes: 1, tokens: 2 });
      await eventually('its blobs to be deleted', async () => {
        return (await storedBlobs(test.context)).length === blobs.length;
      });
    });
    expect(await counts()).to.deep.equal({ ...before, workspaces: 1, tokens: 1 });
    expect(await storedBlobs(test.context)).to.deep.equal(blobs);
    const left = await test.context.redis.keys('*');
    expect(left.filter((key) => key.includes(':session:'))).to.deep.equal([]);
    expect(left).to.include.members(keys.filter((key) => key.includes('directory')));
    await api.get('/api/mailboxes/box/messages', other.token).expect(200);
    expect(await lookup('box', 'two.test')).to.include({ outcome: 'mailbox' });
  });

  it('ends tokens, sessions, addresses, the domain and open streams at once', async () => {
    await mailbox();
    const { headers } = await api.post('/api/session').expect(201);
    const [cookie = ''] = headers['set-cookie'] as unknown as string[];
    const stream = await follow('/api/events');
    expect((await stream.next()).map(({ type }) => type)).to.deep.equal(['ready']);
    expect(await lookup('box', 'one.test')).to.include({ outcome: 'mailbox' });
    expect(await lookup('none', 'one.test')).to.include({ outcome: 'unknown' });

    await deleteOne();
    await api.get('/api/mailboxes').expect(401);
    await api.get('/api/session', null).set('Cookie', cookie.split(';')[0]!).expect(401);
    for (const name of ['box', 'none']) {
      expect(await lookup(name, 'one.test')).to.deep.equal({ outcome: 'foreign' });
    }
    await stream.ended;
    expect(stream.told.at(-1)).to.deep.include({ type: 'closed' });
  });

  it('releases the domain for a new workspace without old data', async () => {
    await mailbox();
    await receive('box', 'Subject: old\r\n\r\nold\r\n');
    await deleteOne();
    const again = await createWorkspace(test.context, {
      ...{ name: 'again', domain: 'one.test', plan: 'pro' },
    });
    expect((await api.get('/api/mailboxes', again.token).expect(200)).body).to.deep.equal([]);
    await api.post('/api/mailboxes', again.token).send({ name: 'box' }).expect(201);
    const { body } = await api.get('/api/mailboxes/box/messages', again.token).expect(200);
    expect(body.messages).to.deep.equal([]);
  });

  it('continues an interrupted deletion', async () => {
    await fill();
    const context = await test.another();
    const workspace = await findWorkspace(context, 'one.test');
    let transactions = 0;
    const store: Store = {
      ...context.store,
      transaction: async (body) => {
        transactions += 1;
        if (transactions > 1) throw new Error('interrupted');
        return context.store.transaction(body);
      },
    };
    const failure = await deleteWorkspace({ ...context, store }, workspace).catch(
      (error: unknown) => error,
    );
    expect(failure).to.include({ message: 'interrupted' });
    await api.get('/api/mailboxes').expect(401);

    expect(await deleteOne()).to.deep.equal({ mailboxes: 0, tokens: 0 });
    expect(await counts()).to.include({ workspaces: 0, mailboxes: 0, messages: 0, tokens: 0 });
  });

  it('deletes nothing while the directory is unreachable', async () => {
    const { context, caller } = test;
    const isComplete = () => Promise.reject(new Error('Connection is closed.'));
    const away = { ...context, directory: { ...context.directory, isComplete } };
    const failure = await deleteWorkspace(away, caller.workspace).catch((error: unknown) => error);
    expect(failure).to.include({ code: 'unavailable' });
    await api.get('/api/mailboxes').expect(200);
  });
});
