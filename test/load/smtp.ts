/**
 * SMTP load like that of a sending MTA: envelope and DATA pipelined (RFC 2920), then the mail in
 * one piece. Uses little CPU time, because it shares the machine with what it measures.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { SmtpClient } from '../support/clients/smtp-client.ts';

export interface Load {
  port: number;
  connections: number;
  mails: number;
  /** Recipient of the n-th mail. */
  recipient: (n: number) => string;
  /** With CRLF line ends, without lines that start with a dot. */
  body: string;
  /** One connection per mail, or keep-alive connections. */
  newConnectionEach: boolean;
  /** Credential of each connection; without AUTH if absent. */
  login?: Login | null;
}

export interface Login {
  username: string;
  password: string;
}

/** Sends all mails; resolves to the milliseconds each took from its last byte to its 250. */
export async function sendLoad(load: Load): Promise<number[]> {
  const latencies: number[] = [];
  const body = Buffer.from(load.body);
  let next = 0;
  await Promise.all(
    Array.from({ length: load.connections }, async () => {
      let session: Session | null = null;
      while (next < load.mails) {
        const n = next;
        next += 1;
        session ??= await openSession(load.port, load.login ?? null);
        latencies.push(await session.send(load.recipient(n), body));
        if (load.newConnectionEach) {
          await session.quit();
          session = null;
        }
      }
      await session?.quit();
    }),
  );
  return latencies;
}

export interface PacedLoad {
  port: number;
  mails: number;
  perSecond: number;
  mail: (n: number) => { recipient: string; body: string };
}

/** Enough that no connection still waits for its 250 when its next mail is due. */
const CONNECTIONS = 20;

/**
 * Sends all mails at a steady rate, independent of the replies to earlier ones; resolves to the
 * times of their 250 replies, by {@link sharedNow}.
 */
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

export interface Session {
  /** Milliseconds from the last byte to the 250. @throws if the mail is refused. */
  send: (recipient: string, body: string | Buffer) => Promise<number>;
  quit: () => Promise<void>;
}

const END = Buffer.from('.\r\n');

export async function openSession(port: number, login: Login | null = null): Promise<Session> {
  const client = await SmtpClient.open(port);
  const replies = async (...codes: number[]) => {
    for (const expected of codes) {
      const { code, text } = await client.reply();
      if (code !== expected) throw new Error(`refused: ${code} ${text}`);
    }
  };
  if (login) {
    const { code, text } = await client.login(login.username, login.password);
    if (code !== 235) throw new Error(`refused: ${code} ${text}`);
  }
  return {
    async send(recipient, body) {
      client.write(`MAIL FROM:<load@bench.example>\r\nRCPT TO:<${recipient}>\r\nDATA\r\n`);
      await replies(250, 250, 354);
      const start = performance.now();
      client.write(Buffer.concat([typeof body === 'string' ? Buffer.from(body) : body, END]));
      await replies(250);
      return performance.now() - start;
    },
    quit: () => client.quit(),
  };
}

/**
 * Milliseconds on a clock shared by all processes of a machine, so that their times are comparable.
 */
export function sharedNow(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
