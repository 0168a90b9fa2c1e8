import { expect } from 'chai';
import type { RecipientEntry } from '../../../core/directory/recipients.ts';
import { openTestApi } from '../../support/context/api.ts';
import { service } from '../../support/service.ts';

/** Redis executes the command of a creation only after the mailbox is deleted. */
describe('a mailbox that is deleted before its directory entry exists', () => {
  const test = service();
  const { api } = test;

  const lookUp = () =>
    test.context.directory.lookup({ name: 'box', domain: 'one.test', tag: null });

  /** Creates the mailbox; `meanwhile` runs before the entry is added, the last step. */
  const create = async (meanwhile: () => Promise<unknown>, isLost = false) => {
    const { directory } = test.context;
    const add = async (entry: RecipientEntry) => {
      await meanwhile();
      if (!isLost) return directory.add(entry);
      await directory.add(entry).catch(() => undefined);
      throw new Error('Command timed out');
    };
    const context = { ...test.context, directory: { ...directory, add } };
    return openTestApi({ ...test, context })
      .post('/api/mailboxes')
      .send({ name: 'box' });
  };
  const remove = () => api.delete('/api/mailboxes/box').expect(204);
  const replace = async () => {
    await remove();
    return (await api.post('/api/mailboxes').send({ name: 'box' }).expect(201)).body.id as string;
  };

  it('keeps the address for the mailbox that took its name', async () => {
    let successor = '';
    const answer = await create(async () => (successor = await replace()));
    expect(answer.status).to.equal(201);
    expect(await lookUp()).to.include({ outcome: 'mailbox', mailboxId: successor });
  });

  it('leaves the address unknown if no mailbox has the name', async () => {
    expect((await create(remove)).status).to.equal(201);
    expect(await lookUp()).to.deep.equal({ outcome: 'unknown' });
  });

  it('does not remove its successor if the command fails', async () => {
    let successor = '';
    const answer = await create(async () => (successor = await replace()), true);
    expect(answer.status).to.equal(503);
    expect(await lookUp()).to.include({ outcome: 'mailbox', mailboxId: successor });
    await api.get('/api/mailboxes/box/messages').expect(200);
  });

  it('leaves no entry if the command was executed but failed', async () => {
    expect((await create(() => Promise.resolve(), true)).status).to.equal(503);
    expect(await lookUp()).to.deep.equal({ outcome: 'unknown' });
    await api.get('/api/mailboxes/box/messages').expect(404);
  });
});
