import { expect } from 'chai';
import {
  type RecipientSource,
  openRecipientDirectory,
} from '../../../core/directory/recipients.ts';
import { openCredentialDirectory } from '../../../core/directory/credentials.ts';
import { eventually } from '../../support/mocha/eventually.ts';
import { type RedisServer, startReplicatedRedis } from '../../support/servers/redis-servers.ts';

const PREFIX = '{mayfly}';
const OLD = { address: 'old@one.test', mailboxId: 'mbx_1' };
const RECENT = { address: 'recent@one.test', mailboxId: 'mbx_2' };
const GONE = { address: 'gone@one.test', mailboxId: 'mbx_0' };

const source: RecipientSource = {
  domains: async function* () {
    yield ['one.test'];
  },
  pages: async function* () {
    yield [OLD, RECENT];
  },
  find: async (addresses) => [OLD, RECENT].filter(({ address }) => addresses.includes(address)),
};

describe('the recipient directory after a failover', () => {
  let servers: RedisServer[];
  let stop: () => Promise<void>;
  beforeEach(async () => {
    ({ servers, stop } = await startReplicatedRedis(1));
  });
  afterEach(() => stop());

  const outcomes = async ({ client }: RedisServer) => {
    const directory = openRecipientDirectory(client, PREFIX);
    const found: string[] = [];
    for (const { address } of [OLD, RECENT, GONE]) {
      const [name = ''] = address.split('@');
      found.push((await directory.lookup({ name, domain: 'one.test', tag: null })).outcome);
    }
    return found;
  };
  /** The replica becomes the master without the last changes of the former one. */
  const failOver = async ([master, replica]: RedisServer[]) => {
    const directory = openRecipientDirectory(master!.client, PREFIX);
    await directory.rebuild({
      ...source,
      pages: async function* () {
        yield [OLD, GONE];
      },
    });
    await directory.add(GONE);
    await eventually('the replica', async () => {
      return (await replica!.client.hlen(`${PREFIX}:directory:mailboxes`)) === 2;
    });
    await replica!.client.call('REPLICAOF', 'NO', 'ONE');
    await directory.add(RECENT);
    await directory.remove(GONE);
    return replica!;
  };

  it('is incomplete until it was compared with the database, then right', async () => {
    const replica = await failOver(servers);
    expect(await outcomes(servers[0]!)).to.deep.equal(['mailbox', 'mailbox', 'unknown']);
    expect(await outcomes(replica)).to.deep.equal(['incomplete', 'incomplete', 'incomplete']);
    const directory = openRecipientDirectory(replica.client, PREFIX);
    expect(await directory.isComplete()).to.equal(false);
    const credentials = openCredentialDirectory(replica.client, PREFIX);
    expect(await credentials.find('smtp_unknown')).to.equal('incomplete');

    await directory.rebuild(source);
    expect(await directory.isComplete()).to.equal(true);
    expect(await outcomes(replica)).to.deep.equal(['mailbox', 'mailbox', 'unknown']);
    expect(await credentials.find('smtp_unknown')).to.equal(null);
  });

  it('is incomplete in a server that has started again', async () => {
    const [master] = servers;
    const directory = openRecipientDirectory(master!.client, PREFIX);
    await directory.rebuild(source);
    await master!.kill();
    await master!.start();
    expect(await outcomes(master!)).to.deep.equal(['incomplete', 'incomplete', 'incomplete']);
  });
});
