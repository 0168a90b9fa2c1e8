/** Rates of caught and ordinary mail, and of reading caught mail by recipient. */
import { median, type Figure } from '../figures.js';
import { benchMail } from '../load/bench-mail.js';
import { type Login, sendLoad } from '../load/smtp-load.js';
import { type Target, onProduct } from '../target.js';
import { allVisible } from './intake.js';

const ROUNDS = 3;
const MAILS = 3000;
const READS = 2000;
const READERS = 16;

/** The rate of caught mail as a fraction of that of ordinary mail in the previous run. */
export function caughtFigures(): Promise<Figure[]> {
  return onProduct(async (target) => {
    const name = `caught-${Date.now()}`;
    await target.rest.createMailbox(name);
    const login = await credential(target, name);
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
    figures.push(await readRate(target, name));
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

async function readRate({ origin, token }: Target, name: string): Promise<Figure> {
  const url = `${origin}/api/mailboxes/${name}/messages`;
  const init = { headers: { Authorization: `Bearer ${token}` } };
  const { total } = (await (await fetch(`${url}?limit=1`, init)).json()) as { total: number };
  let next = 0;
  const start = performance.now();
  await Promise.all(
    Array.from({ length: READERS }, async () => {
      while (next < READS) {
        const to = `customer-${(next += 1) % MAILS}@gmail.test`;
        const answer = await fetch(`${url}?to=${to}`, init);
        if (!answer.ok) throw new Error(`refused with ${answer.status}`);
        await answer.arrayBuffer();
      }
    }),
  );
  const perSecond = (READS * 1000) / (performance.now() - start);
  return {
    work: `?to= among ${total} messages of one mailbox, 16 clients`,
    result: `${perSecond.toFixed(0)} requests/s`,
    values: { perSecond },
  };
}

async function credential({ origin, token }: Target, name: string): Promise<Login> {
  const answer = await fetch(`${origin}/api/mailboxes/${name}/smtp-credentials`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ name: 'bench' }),
  });
  return (await answer.json()) as Login;
}
