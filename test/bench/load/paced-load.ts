/** Sends mails at a steady rate, independent of the replies to earlier ones. */
import { setTimeout as delay } from 'node:timers/promises';
import { sharedNow } from '../clock.ts';
import { openSession } from './smtp-load.ts';

export interface PacedLoad {
  port: number;
  mails: number;
  perSecond: number;
  mail: (n: number) => { recipient: string; body: string };
}

/** Enough that no connection still waits for its 250 when its next mail is due. */
const CONNECTIONS = 20;

/** Sends all mails; resolves to the times of their 250 replies, by {@link sharedNow}. */
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
