/**
 * SMTP load like that of a sending MTA: envelope and DATA pipelined (RFC 2920), then the mail in
 * one piece. Uses little CPU time, because it shares the machine with what it measures.
 */
import { once } from 'node:events';
import { type Socket, connect } from 'node:net';

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

export interface Session {
  /** Milliseconds from the last byte to the 250. @throws if the mail is refused. */
  send: (recipient: string, body: string | Buffer) => Promise<number>;
  quit: () => Promise<void>;
}

export async function openSession(port: number, login: Login | null = null): Promise<Session> {
  const socket = connect(port, '127.0.0.1').setNoDelay(true);
  await once(socket, 'connect');
  const replies = replyReader(socket);
  await replies(1, 220);
  socket.write('EHLO bench.example\r\n');
  await replies(1, 250);
  if (login) {
    const message = Buffer.from(`\0${login.username}\0${login.password}`).toString('base64');
    socket.write(`AUTH PLAIN ${message}\r\n`);
    await replies(1, 235);
  }
  return {
    async send(recipient, body) {
      socket.write(`MAIL FROM:<load@bench.example>\r\nRCPT TO:<${recipient}>\r\nDATA\r\n`);
      await replies(3, 354);
      const start = performance.now();
      socket.cork();
      socket.write(body);
      socket.write('.\r\n');
      socket.uncork();
      await replies(1, 250);
      return performance.now() - start;
    },
    async quit() {
      socket.write('QUIT\r\n');
      await replies(1, 221);
      socket.destroy();
    },
  };
}

/**
 * Waits for this many replies, the last of which must have the code; continuation lines are
 * skipped.
 */
function replyReader(socket: Socket): (count: number, code: number) => Promise<void> {
  let buffered = '';
  let wake: () => void = () => undefined;
  socket.on('data', (chunk: Buffer) => {
    buffered += chunk.toString('latin1');
    wake();
  });
  socket.on('close', () => {
    buffered += '421 connection closed\r\n';
    wake();
  });
  return async (count, code) => {
    for (let seen = 0; seen < count;) {
      const end = buffered.indexOf('\r\n');
      if (end < 0) {
        await new Promise<void>((resolve) => (wake = resolve));
        continue;
      }
      const line = buffered.slice(0, end);
      buffered = buffered.slice(end + 2);
      if (line[3] === '-') continue;
      seen += 1;
      const wanted = seen === count ? line.startsWith(`${code}`) : line.startsWith('2');
      if (!wanted) throw new Error(`refused: ${line}`);
    }
  };
}
