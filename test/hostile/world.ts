/** A service in this thread, the mail of a stranger in it, and a client that keeps no answer. */
import { once } from 'node:events';
import { Agent, type IncomingMessage, type OutgoingHttpHeaders, request } from 'node:http';
import { createApp } from '../../api/app.ts';
import type { Context, Overrides } from '../../core/context.ts';
import { createMailbox } from '../../core/mailboxes/create.ts';
import { parseMail } from '../../core/mime/parse-mail.ts';
import { attachmentsOf } from '../../db/statements/attachments.ts';
import { ingestHeavy } from '../../jobs/ingest.ts';
import { openEventServer } from '../support/clients/event-stream.ts';
import { acceptMail } from '../support/context/accept.ts';
import { openTestContext } from '../support/context/context.ts';
import { deliverMail } from '../support/context/deliver.ts';

/** A mailbox with one hostile mail, and the mark before it. */
export interface Stored {
  raw: Buffer;
  mailbox: string;
  mark: string;
  /** Of the workspace. */
  wideMark: string;
  id: string;
  /** Of its attachments. */
  attachments: string[];
}

export interface Asked {
  method?: 'GET' | 'POST';
  body?: object | Buffer;
  /** The mailbox in the login of a compatible API. */
  login?: string;
  /** Ends the response once it has this text. */
  until?: string;
}

export interface World {
  readonly context: Context;
  /** An empty mailbox. */
  readonly mailbox: () => Promise<string>;
  /** Stores a mail as the worker does. @returns the ids of its message and of its attachments */
  readonly ingest: (mailbox: string, raw: Buffer) => Promise<{ id: string; attachments: string[] }>;
  /** Same, from the queue of heavy mail. */
  readonly ingestHeavy: (mailbox: string, raw: Buffer) => Promise<void>;
  /** Reads the response and forgets it. @throws if the service fails. */
  readonly ask: (path: string, asked?: Asked) => Promise<void>;
  /** Same; returns the JSON of a short response. */
  readonly read: (path: string) => Promise<unknown>;
  /** Lines of the log so far. */
  readonly logged: () => number;
  /** Values in Redis. */
  readonly values: () => Promise<number>;
  readonly close: () => Promise<void>;
}

/** Statuses of refusals that a hostile mail may cause. */
const REFUSALS = new Set([404, 413, 422, 503]);
const ENV = {
  VALIDATE_RESPONSES: 'false',
  RATE_LIMIT_PRO: '0',
  PLAN_PRO_MAILBOXES: '0',
  STORED_BYTES_PER_MINUTE: '0',
};

/**
 * Works in a world of its own.
 * @param inThread does the work of children in this thread, where its time is measured
 * @param overrides `inlineParseMs` as in the process whose readers are measured
 */
export async function inWorld<Result>(
  inThread: boolean,
  overrides: Overrides,
  work: (world: World) => Promise<Result>,
): Promise<Result> {
  const world = await openWorld(inThread, overrides);
  try {
    return await work(world);
  } finally {
    await world.close();
  }
}

async function openWorld(inThread: boolean, overrides: Overrides): Promise<World> {
  const test = await openTestContext(ENV, overrides);
  const { context, workspace, caller } = test;
  if (inThread) {
    const { parsePool } = context.ingest;
    parsePool.run = async (task, input) => task.run(input);
    const { parseInline, parseQuickly } = parsePool;
    parsePool.parseInline = (raw) => (Buffer.isBuffer(raw) ? parseMail(raw) : parseInline(raw));
    parsePool.parseQuickly = async (raw, size) =>
      Buffer.isBuffer(raw) ? parseMail(raw) : parseQuickly(raw, size);
  }
  let logged = 0;
  for (const level of ['warn', 'error'] as const) {
    Object.assign(context.log, { [level]: () => (logged += 1) });
  }
  const server = await openEventServer(createApp(context));
  const agent = new Agent({ keepAlive: true });
  const send = async (path: string, asked: Asked): Promise<IncomingMessage> => {
    const { body, login } = asked;
    const user = `Basic ${Buffer.from(`${login}@one.test:${workspace.token}`).toString('base64')}`;
    const headers: OutgoingHttpHeaders = {
      authorization: login === undefined ? `Bearer ${workspace.token}` : user,
      accept: 'application/json, text/event-stream, */*',
    };
    if (body)
      headers['content-type'] = Buffer.isBuffer(body) ? 'message/rfc822' : 'application/json';
    const method = asked.method ?? (body ? 'POST' : 'GET');
    const sent = request(server.url + path, { method, headers, agent });
    sent.end(body && (Buffer.isBuffer(body) ? body : JSON.stringify(body)));
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    const { statusCode = 0 } = response;
    if (statusCode >= 400 && !REFUSALS.has(statusCode)) {
      throw new Error(`${method} ${path}: ${statusCode} ${await textOf(response)}`);
    }
    return response;
  };
  const mailbox = async () => {
    const name = `hostile${(made += 1)}`;
    await createMailbox(context, caller, name);
    return name;
  };
  let made = 0;
  return {
    context,
    mailbox,
    ingest: async (name, raw) => {
      const { mailId, messages } = await deliverMail(context, [`${name}@one.test`], raw);
      const rows = await context.store.query(attachmentsOf, [mailId]);
      return { id: messages[0]?.id ?? '', attachments: rows.map(({ id }) => id) };
    },
    ingestHeavy: async (name, raw) => {
      const mail = await acceptMail(context, [`${name}@one.test`], raw);
      await ingestHeavy.run(context, mail, { jobId: '', start: 1, stalls: 0 });
    },
    ask: async (path, asked = {}) => {
      const response = await send(path, asked);
      let last = '';
      for await (const chunk of response as AsyncIterable<Buffer>) {
        if (asked.until === undefined) continue;
        last = last.slice(-100) + chunk.toString('latin1');
        if (last.includes(asked.until)) break;
      }
    },
    read: async (path) => JSON.parse(await textOf(await send(path, {}))) as unknown,
    logged: () => logged,
    values: () => context.redis.dbsize(),
    close: async () => {
      agent.destroy();
      await server.close();
      await test.close();
    },
  };
}

async function textOf(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of response as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

/** Stores a hostile mail, and after it a short one with the word `unheard`, which ends a stream. */
export async function storeBeside(world: World, raw: Buffer): Promise<Stored> {
  const mailbox = await world.mailbox();
  const { mark } = (await world.read(`/api/mailboxes/${mailbox}/mark`)) as { mark: string };
  const wide = (await world.read('/api/messages/mark')) as { mark: string };
  const stored = await world.ingest(mailbox, raw);
  await world.ingest(mailbox, Buffer.from('Subject: end\r\n\r\nunheard'));
  return { raw, mailbox, mark, wideMark: wide.mark, ...stored };
}
