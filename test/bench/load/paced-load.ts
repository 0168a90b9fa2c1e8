/** Mails at a steady rate: each leaves when its time has come, whatever has become of the others. */
import { setTimeout as delay } from 'node:timers/promises';
import { sharedNow } from '../clock.js';
import { openSession } from './smtp-load.js';

export interface PacedLoad {
  port: number;
  mails: number;
  perSecond: number;
  mail: (n: number) => { recipient: string; body: string };
}

/** So many that none is still waiting for its 250 when its next mail is due. */
const CONNECTIONS = 20;

/** Sends all mails; resolves to when each was answered with 250, by {@link sharedNow}. */
export async function sendPaced({ port, mails, perSecond, mail }: PacedLoad): Promise<number[]> {
  const sessions = await Promise.all(Array.from({ length: CONNECTIONS }, () => openSession(port)));
  const answered = new Array<number>(mails);
  const start = sharedNow();
  await Promise.all(
    sessions.map(async (session, first) => {
      for (let n = first; n < mails; n += CONNECTIONS) {
        const early = start + (n * 1000) / perSecond - sharedNow();
        if (early > 0) await delay(early);
        const { recipient, body } = mail(n);
        await session.send(recipient, body);
        answered[n] = sharedNow();
      }
      await session.quit();
    }),
  );
  return answered;
}
