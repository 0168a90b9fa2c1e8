/** Rates of caught and ordinary mail, and of reading caught mail by recipient. */
import { type Figure, median, perSecond, times } from '../figures.ts';
import { benchMail } from '../../load/mails.ts';
import { fill, untilIndexed } from '../../load/fill.ts';
import { askLoad } from '../../load/http.ts';
import { allVisible, createMailboxes } from '../../load/mailboxes.ts';
import { type Login, sendLoad } from '../../load/smtp.ts';
import { type Target, onProduct } from '../target.ts';

const ROUNDS = 3;
const MAILS = 3000;
const READS = 6000;
const READERS = 16;
const STORED = 100_000;
const HOUR = 3_600_000;

/** The rate of caught mail as a fraction of that of ordinary mail in the previous run. */
export function caughtFigures(): Promise<Figure[]> {
  return onProduct(async (target) => {
    const name = `caught-${Date.now()}`;
    await target.rest.createMailbox(name);
    const path = `/mailboxes/${name}/smtp-credentials`;
    const login = await target.rest.json<Login>('POST', path, { name: 'bench' });
    await rate(target, name, null, false);
    const figures: Figure[] = [];
    for (const ownEach of [false, true]) {
      const pairs: { ordinary: number; caught: number }[] = [];
      for (let round = 0; round < ROUNDS; round += 1) {
        const ordinary = await rate(target, name, null, ownEach);
        pairs.push({ ordinary, caught: await rate(target, name, login, ownEach) });
      }
      const part = median(pairs.map(({ ordinary, caught }) => caught / ordinary));
      const caught = median(pairs.map((pair) => pair.caught));
      figures.push({
        work: `2 KB caught, ${ownEach ? 'a connection and a login each' : '20 kept connections'}`,
        result: `${caught.toFixed(0)} visible/s, ${(100 * part).toFixed(0)} % of ordinary`,
        values: { perSecond: caught, part },
      });
    }
    for (const perRecipient of [1, 10]) figures.push(await readRate(target, perRecipient));
    return figures;
  });
}

async function rate(
  { smtpPort, domain, rest }: Target,
  catcher: string,
  login: Login | null,
  newConnectionEach: boolean,
): Promise<number> {
  const before = await rest.messageCount(catcher);
  const own = `load-${Date.now()}`;
  if (!login) await rest.createMailbox(own);
  const start = performance.now();
  await sendLoad({
    ...{ port: smtpPort, connections: 20, mails: MAILS, newConnectionEach, login },
    body: benchMail(2048),
    recipient: (n) => (login ? `customer-${n}@gmail.test` : `${own}@${domain}`),
  });
  if (login) await allVisible(rest, [catcher], before + MAILS);
  else await allVisible(rest, [own], MAILS);
  return (MAILS * 1000) / (performance.now() - start);
}

/** The rate of reading one recipient of a mailbox with 100,000 caught messages. */
async function readRate(target: Target, perRecipient: number): Promise<Figure> {
  const name = `read-${perRecipient}`;
  const [id = ''] = await createMailboxes(target.rest, [name]);
  const customer = (n: number) => `customer-${n % (STORED / perRecipient)}@gmail.test`;
  const start = Date.now();
  await fill({
    ...{ database: target.database, mailboxIds: [id], messages: STORED },
    receivedAt: (n) => start - STORED + n,
    expiresAt: () => start + HOUR,
    caughtTo: (n) => customer(n),
  });
  await untilIndexed(target.database, 2 * STORED);
  const { origin, token } = target;
  const path = (n: number) => `/api/mailboxes/${name}/messages?to=${customer(n * 7919)}`;
  const load = { origin, token, clients: READERS, path };
  await askLoad({ ...load, requests: READS / 3 }); // warms up the JIT
  const rates = await times(ROUNDS, () =>
    perSecond(READS, () => askLoad({ ...load, requests: READS })),
  );
  const rate = median(rates);
  return {
    work: `?to= among ${STORED.toLocaleString('en')} messages of one mailbox, ${perRecipient} found, ${READERS} clients`,
    result: `${rate.toFixed(0)} requests/s`,
    values: { perSecond: rate },
  };
}
