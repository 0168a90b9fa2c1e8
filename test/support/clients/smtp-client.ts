/**
 * A small SMTP client that works line by line: it returns every reply unchanged, and can send bytes
 * that violate the protocol.
 */
import { once } from 'node:events';
import { type Socket, connect } from 'node:net';
import { connect as connectTls } from 'node:tls';

export interface Reply {
  readonly code: number;
  /** The text of each line, without the code. */
  readonly lines: readonly string[];
  /** The lines joined by spaces. */
  readonly text: string;
}

/** The code of a reply with its enhanced status code: `250 2.1.5`. */
export const statusOf = ({ code, text }: Reply): string => `${code} ${text.slice(0, 5)}`;

/** Longer than the longest delay of a reply by the product. */
const REPLY_DEADLINE_MS = 30_000;

export class SmtpClient {
  #socket: Socket;
  #received = '';
  #ended = false;
  #wake: () => void = () => undefined;

  private constructor(socket: Socket) {
    this.#socket = socket;
    this.#attach();
  }

  /** Connects, from any address of this machine, and leaves the greeting unread. */
  static async connect(port: number, localAddress = '127.0.0.1'): Promise<SmtpClient> {
    const socket = connect({ port, host: '127.0.0.1', localAddress });
    await once(socket, 'connect');
    return new SmtpClient(socket);
  }

  /** Connects, reads the greeting and sends EHLO. */
  static async open(port: number, localAddress?: string): Promise<SmtpClient> {
    return (await SmtpClient.connect(port, localAddress)).#greeted();
  }

  /** Same to a port of implicit TLS with any certificate. */
  static async openTls(port: number): Promise<SmtpClient> {
    const socket = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false });
    await once(socket, 'secureConnect');
    return new SmtpClient(socket).#greeted();
  }

  write(bytes: string | Uint8Array): void {
    this.#socket.write(bytes);
  }

  /** The next reply, of one or several lines. */
  async reply(): Promise<Reply> {
    const end = Date.now() + REPLY_DEADLINE_MS;
    for (;;) {
      const match = /^(?:\d{3}-[^\n]*\n)*\d{3}(?: [^\n]*)?\r\n/.exec(this.#received);
      if (match) {
        this.#received = this.#received.slice(match[0].length);
        return parseReply(match[0]);
      }
      if (this.#ended) throw new Error(`connection closed, unread: ${this.#received}`);
      if (Date.now() > end) throw new Error(`no reply, unread: ${this.#received}`);
      await this.#change(end - Date.now());
    }
  }

  /** Sends one line and reads its reply. */
  async command(line: string): Promise<Reply> {
    this.write(`${line}\r\n`);
    return this.reply();
  }

  /** AUTH PLAIN. */
  login(username: string, password: string): Promise<Reply> {
    const message = Buffer.from(`\0${username}\0${password}`).toString('base64');
    return this.command(`AUTH PLAIN ${message}`);
  }

  /** MAIL and one RCPT for each recipient; the replies in order. */
  async envelope(sender: string, ...recipients: string[]): Promise<Reply[]> {
    const replies = [await this.command(`MAIL FROM:<${sender}>`)];
    for (const recipient of recipients) replies.push(await this.command(`RCPT TO:<${recipient}>`));
    return replies;
  }

  /**
   * Sends DATA, these bytes without dot-stuffing, and the final dot. Returns the reply after it.
   */
  async data(bytes: string | Uint8Array): Promise<Reply> {
    const go = await this.command('DATA');
    if (go.code !== 354) return go;
    this.write(bytes);
    this.write('.\r\n');
    return this.reply();
  }

  /** Sends one mail with dot-stuffing. Returns the last reply, or the first rejection. */
  async send(mail: { from: string; to: string[]; data: Buffer }): Promise<Reply> {
    for (const line of [`MAIL FROM:<${mail.from}>`, ...mail.to.map((to) => `RCPT TO:<${to}>`)]) {
      const reply = await this.command(line);
      if (reply.code === 250) continue;
      if (reply.code !== 421) await this.command('RSET');
      return reply;
    }
    const stuffed = mail.data.toString('latin1').replace(/(^|\r\n)\./g, '$1..');
    return this.data(Buffer.from(stuffed, 'latin1'));
  }

  /** STARTTLS with any certificate; `bytes` replaces the command. */
  async startTls(bytes = 'STARTTLS\r\n'): Promise<void> {
    this.write(bytes);
    const reply = await this.reply();
    if (reply.code !== 220) throw new Error(`STARTTLS refused: ${reply.code} ${reply.text}`);
    this.#socket.removeAllListeners();
    const secure = connectTls({ socket: this.#socket, rejectUnauthorized: false });
    await once(secure, 'secureConnect');
    this.#socket = secure;
    this.#attach();
  }

  /** Resolves once the server has closed the connection. */
  async closed(): Promise<void> {
    const end = Date.now() + REPLY_DEADLINE_MS;
    while (!this.#ended) {
      if (Date.now() > end) throw new Error('the connection stays open');
      await this.#change(end - Date.now());
    }
  }

  /** Closes the sending side. Replies can still be read. */
  end(): void {
    this.#socket.end();
  }

  /** Drops the connection without QUIT. */
  drop(): void {
    this.#socket.destroy();
  }

  async quit(): Promise<void> {
    await this.command('QUIT');
    this.drop();
  }

  async #greeted(): Promise<this> {
    await this.reply();
    await this.command('EHLO client.example');
    return this;
  }

  #attach(): void {
    this.#socket.setNoDelay(true);
    this.#socket.on('data', (chunk: Buffer) => {
      this.#received += chunk.toString('latin1');
      this.#wake();
    });
    const end = () => {
      this.#ended = true;
      this.#wake();
    };
    this.#socket.on('end', end);
    this.#socket.on('error', end);
    this.#socket.on('close', end);
  }

  async #change(withinMs: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      timer = setTimeout(resolve, withinMs);
    });
    clearTimeout(timer);
  }
}

function parseReply(raw: string): Reply {
  const lines = raw.trimEnd().split('\r\n');
  const texts = lines.map((line) => line.slice(4));
  return { code: Number(lines.at(-1)?.slice(0, 3)), lines: texts, text: texts.join(' ') };
}
