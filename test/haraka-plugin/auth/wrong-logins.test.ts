import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { openCredentialDirectory } from '../../../core/directory/credentials.ts';
import { isLongForm } from '../../support/mocha/long-form.ts';
import { PREFIX, smtp } from '../../support/process/smtp-front.ts';

const LOGINS = isLongForm ? 1000 : 60;
/** Logins at the same time. */
const CLIENTS = 30;
const LIMIT = 10;
const USER = 'alice-aaaaaaaa';
const PASSWORD = 'p'.repeat(32);
/** Mail of clients outside of CATCH_ALL_CIDRS is caught only with a credential. */
const NOBODY = { CATCH_ALL_CIDRS: '192.0.2.0/24' };

const line = (user: string, password: string) =>
  `AUTH PLAIN ${Buffer.from(`\0${user}\0${password}`).toString('base64')}`;

describe(`SMTP: ${LOGINS} wrong logins`, () => {
  const limits = { RATE_LIMIT_AUTH_FAILURES: `${LIMIT}`, SMTP_MAX_CONNECTIONS_PER_IP: '0' };
  const front = smtp({
    env: { ...NOBODY, ...limits },
    each: true,
    prepare: ({ client }) =>
      openCredentialDirectory(client, PREFIX).set({
        ...{ id: 'smc_1', username: USER, passwordSetAt: 1, mailboxId: 'mbx_alice' },
        address: 'alice@acme.test',
        passwordHash: createHash('sha256').update(PASSWORD).digest('hex'),
      }),
  });

  /**
   * Replies to wrong logins, the first half with a known user name, the others with unknown ones.
   */
  const wrongLogins = async (addressOf: (n: number) => string) => {
    const known: string[] = [];
    const unknown: string[] = [];
    let next = 0;
    await Promise.all(
      Array.from({ length: CLIENTS }, async () => {
        while (next < LOGINS) {
          const n = next;
          next += 1;
          const client = await front.open(addressOf(n));
          const user = n < LOGINS / 2 ? USER : `bob-${n}`;
          const { code, text } = await client.command(line(user, `wrong ${n}`));
          (user === USER ? known : unknown).push(`${code} ${text}`);
          client.drop();
        }
      }),
    );
    return { known, unknown };
  };
  const rightLogin = async (address: string) => {
    const client = await front.open(address);
    const { code } = await client.command(line(USER, PASSWORD));
    client.drop();
    return code;
  };
  /** Right logins, one after the other, until the others have ended, or enough have been made. */
  const meanwhile = async (others: Promise<unknown>, address: string) => {
    const state = { isOver: false };
    void others.finally(() => (state.isOver = true));
    const codes = new Set<number>();
    for (let n = 0; n < LOGINS && !state.isOver; n += 1) codes.add(await rightLogin(address));
    return [...codes];
  };

  it('from one address: 421 above the limit; other clients log in meanwhile', async () => {
    const wrong = wrongLogins(() => '127.0.0.2');
    expect(await meanwhile(wrong, '127.0.0.1')).to.eql([235]);
    const { known, unknown } = await wrong;
    const all = [...known, ...unknown];
    expect(all).to.have.length(LOGINS);
    const below = all.filter((reply) => reply.startsWith('535 5.7.8'));
    // The count can start again while the test runs, once a minute.
    expect(below.length).to.be.within(1, LIMIT * (isLongForm ? 4 : 2));
    const above = all.filter((reply) => reply.startsWith('421 '));
    expect(below.length + above.length).to.equal(LOGINS);
  });

  it('from an address each: the reply is the same for a known and an unknown user name', async () => {
    const wrong = wrongLogins((n) => `127.1.${Math.floor(n / 250)}.${1 + (n % 250)}`);
    expect(await meanwhile(wrong, '127.0.0.1')).to.eql([235]);
    const { known, unknown } = await wrong;
    expect([...new Set(known)]).to.have.length(1);
    expect(known[0]).to.match(/^535 5\.7\.8 /);
    expect([...new Set(unknown)]).to.eql([...new Set(known)]);
  });
});
