import { once } from 'node:events';
import { type AddressInfo, type Socket, createServer } from 'node:net';
import { Worker } from 'node:worker_threads';
import { expect } from 'chai';
import type { Redis } from 'ioredis';
import { openLog } from '../../../core/log.ts';
import {
  type KnownRecipients,
  openKnownRecipients,
  type KnownCredentials,
  openKnownCredentials,
  type TrackedCache,
  openTrackedCache,
} from '../../../core/directory/tracked-cache.ts';
import {
  createCredential,
  deleteCredential,
  rotatePassword,
} from '../../../core/smtp-credentials/smtp-credentials.ts';
import { createMailboxes } from '../../../core/mailboxes/create.ts';
import { deleteMailbox } from '../../../core/mailboxes/mailboxes.ts';
import { openTrackingClient } from '../../../core/redis/client.ts';
import { service } from '../../support/service.ts';
import { eventually } from '../../support/mocha/eventually.ts';
import type { DeleteThenCommand } from './delete-then-command.ts';

const ADDRESS = 'box@one.test';
/** Ends the block of the event loop if the other thread fails. */
const BLOCKED_MS = 60_000;

describe('known recipients', () => {
  // Before the service closes.
  afterEach(() => {
    cache.close();
  });
  const test = service();
  let connection: Redis;
  let cache: TrackedCache;
  let known: KnownRecipients;
  let credentials: KnownCredentials;
  let mailboxId: string;
  let elapsed = 0;

  beforeEach(async () => {
    ({ id: mailboxId } = await test.mailbox());
    connection = openTrackingClient(test.config, openLog(test.config))!;
    elapsed = 0;
    const { config, context } = test;
    const monotonic = () => performance.now() + elapsed;
    cache = openTrackedCache(connection, config.redisPrefix, openLog(config), monotonic);
    known = openKnownRecipients(cache, context.now);
    credentials = openKnownCredentials(cache, context.now);
    await isKept();
  });

  const look = (name = 'box') => {
    const recipient = { name, domain: 'one.test', tag: null };
    return known.query(`${name}@one.test`, () => test.context.directory.lookup(recipient));
  };
  const isKept = () =>
    eventually('the recipient to be kept', async () => {
      await look();
      return (await known.find(ADDRESS))?.mailboxId === mailboxId;
    });
  const isForgotten = () =>
    eventually('it to be forgotten', async () => (await known.find(ADDRESS)) === undefined);

  it('keep a mailbox, and no address without one', async () => {
    expect((await look('nobody')).outcome).to.equal('unknown');
    expect(await known.find('nobody@one.test')).to.equal(undefined);
    expect((await known.find(ADDRESS))?.mailboxId).to.equal(mailboxId);
  });

  it('do not find a mailbox that has expired', async () => {
    const expiresIn = 60;
    await createMailboxes(test.context, test.caller, [{ name: 'brief', expiresIn }]);
    await eventually('the recipient to be kept', async () => {
      await look('brief');
      return (await known.find('brief@one.test')) !== undefined;
    });
    await isKept();
    test.advance(expiresIn * 1000);
    expect(await known.find('brief@one.test')).to.equal(undefined);
    expect((await known.find(ADDRESS))?.mailboxId).to.equal(mailboxId);
  });

  it('forget a mailbox that is deleted, or that Redis has lost', async () => {
    await deleteMailbox(test.context, test.caller, 'box');
    await isForgotten();
    expect((await look()).outcome).to.equal('unknown');
    ({ id: mailboxId } = await test.mailbox());
    await isKept();
    await test.context.redis.flushall();
    await isForgotten();
  });

  it('and known credentials are forgotten once a change of one is answered', async () => {
    const { context, caller } = test;
    const { credential } = await createCredential(context, caller, 'box', 'app');
    const { username } = credential;
    const passwordHash = async () => (await credentials.find(username))?.passwordHash;
    const isKnown = () =>
      eventually('the credential to be kept', async () => {
        await credentials.query(username, () => context.credentials.find(username));
        return (await passwordHash()) !== undefined;
      });
    await isKnown();
    const first = await passwordHash();
    const isUnknown = () =>
      eventually('it to be forgotten', async () => (await passwordHash()) === undefined);
    await rotatePassword(context, caller, 'box', credential.id);
    await isUnknown();
    await isKnown();
    expect(await passwordHash()).not.to.equal(first);
    await deleteCredential(context, caller, 'box', credential.id);
    await isUnknown();
    await credentials.query(username, () => context.credentials.find(username));
    expect(await passwordHash()).to.equal(undefined);
  });

  it('do not keep a result that a change has overtaken', async () => {
    await known.query(ADDRESS, async () => {
      const found = await test.context.directory.lookup({
        name: 'box',
        domain: 'one.test',
        tag: null,
      });
      await deleteMailbox(test.context, test.caller, 'box');
      await isForgotten();
      return found;
    });
    expect(await known.find(ADDRESS)).to.equal(undefined);
  });

  it('do not keep the result of a lookup that began before reports do', async () => {
    const { config, context } = test;
    const found = await context.directory.lookup({ name: 'box', domain: 'one.test', tag: null });
    const other = openTrackedCache(
      openTrackingClient(config, openLog(config))!,
      config.redisPrefix,
      openLog(config),
    );
    const recipients = openKnownRecipients(other, context.now);
    await recipients.query(ADDRESS, async () => {
      await deleteMailbox(context, test.caller, 'box'); // nothing is reported yet
      await test.mailbox('other');
      await eventually('reports', async () => {
        const kept = { name: 'other', domain: 'one.test', tag: null };
        await recipients.query('other@one.test', () => context.directory.lookup(kept));
        return (await recipients.find('other@one.test')) !== undefined;
      });
      return found;
    });
    const entry = await recipients.find(ADDRESS);
    other.close();
    expect(entry).to.equal(undefined);
  });

  it('are forgotten for a command that is read before the report of an earlier change', async () => {
    const state = new Int32Array(new SharedArrayBuffer(4));
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const workerData: DeleteThenCommand = {
      ...{ redisSocket: test.redis.socket, prefix: test.config.redisPrefix },
      ...{ address: ADDRESS, mailboxId, port, state },
    };
    const thread = new Worker(new URL('delete-then-command.ts', import.meta.url), { workerData });
    const [socket] = (await once(server, 'connection')) as [Socket];
    const found = new Promise((resolve) => {
      socket.once('data', () => {
        // The socket of this connection is now ahead of the one of the reports.
        Atomics.store(state, 0, 1);
        Atomics.notify(state, 0);
        Atomics.wait(state, 0, 1, BLOCKED_MS);
        socket.once('data', () => {
          resolve(known.find(ADDRESS));
        });
      });
    });
    await Promise.all([found, once(thread, 'exit')]);
    server.close();
    expect(await found).to.equal(undefined);
  });

  it('are forgotten with the connection, and kept again on the next one', async () => {
    const isLost = new Promise((resolve) => connection.once('close', resolve));
    await test.context.redis.call('CLIENT', 'KILL', 'TYPE', 'pubsub');
    await isLost;
    expect(await known.find(ADDRESS)).to.equal(undefined);
    await isKept();
    await deleteMailbox(test.context, test.caller, 'box');
    await isForgotten();
  });

  it('are not used while the connection gives no answer', async () => {
    elapsed = 3000;
    expect(await known.find(ADDRESS)).to.equal(undefined);
  });
});
