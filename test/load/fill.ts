/** Writes mail in quantity directly to the database, as a worker stores it. */
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import pg from 'pg';
import { openStore } from '../../db/open.ts';
import { type MailRows, storeMails } from '../../db/statements/mails.ts';
import { countUnindexed } from '../../db/statements/search.ts';
import { newId } from '../../core/ids.ts';
import { previewOf } from '../../core/text/preview.ts';
import { fanOut } from '../../core/delivery/fan-out.ts';
import type { DatabaseConfig } from '../../db/config.ts';
import { benchMail } from './mails.ts';

const AT_ONCE = 500;
const POLL_MS = 500;

export interface Fill {
  database: DatabaseConfig;
  mailboxIds: string[];
  messages: number;
  /** Milliseconds since 1970 at which the n-th arrived, and at which it expires. */
  receivedAt: (n: number) => number;
  expiresAt: (n: number) => number;
  /** The address to which the n-th was sent, for caught mail. */
  caughtTo?: (n: number) => string;
  /** The text of the n-th. */
  text?: (n: number) => string;
}

/** Messages of 2 KB, to each mailbox in turn. */
export async function fill(load: Fill): Promise<void> {
  const store = await openStore(load);
  try {
    for (let first = 0; first < load.messages; first += AT_ONCE) {
      const count = Math.min(AT_ONCE, load.messages - first);
      const mails = Array.from({ length: count }, (_, n) => mailRows(load, first + n));
      const [now, expiresAt] = [load.receivedAt(first), load.expiresAt(first)];
      const times = { now: new Date(now), expiresAt: new Date(expiresAt) };
      await store.transaction((tx) => storeMails(tx, mails, times, fanOut));
      await nextTurn(); // otherwise connections that end meanwhile would count as open
    }
  } finally {
    await store.close();
  }
}

function mailRows({ mailboxIds, receivedAt, caughtTo, text: textOf }: Fill, n: number): MailRows {
  const time = receivedAt(n);
  const [mailId, messageId] = [newId('mail', time), newId('message', time)];
  const mailboxId = mailboxIds[n % mailboxIds.length] ?? '';
  const address = caughtTo?.(n);
  const raw = benchMail(2048, n);
  const text = textOf?.(n) ?? raw.slice(raw.indexOf('\r\n\r\n') + 4);
  return {
    mail: {
      id: mailId,
      ingestId: newId('ingest', time),
      fromAddress: 'load@bench.example',
      fromName: null,
      to: [],
      cc: [],
      subject: `bench ${n}`,
      messageIdHeader: null,
      size: raw.length,
      attachmentCount: 0,
      parseError: null,
      rawBlobKey: null,
      text,
      html: null,
      raw: Buffer.from(raw),
    },
    messages: [
      {
        id: messageId,
        mailId,
        mailboxId,
        recipient: address ?? 'load@bench.example',
        tag: null,
        receivedAt: new Date(time),
        bodyBytes: text.length,
        preview: previewOf({ text, html: null }),
        ...(address === undefined ? {} : { envelopeFrom: '', envelopeTo: [address] }),
      },
    ],
    attachments: [],
    ...(address === undefined
      ? {}
      : {
          caught: [
            { id: `${messageId}-0`, messageId, mailboxId, address, receivedAt: new Date(time) },
          ],
        }),
    conditions: null,
  };
}

/**
 * Waits until the search index contains all stored mail: indexing takes a share of the processor
 * and of the database.
 * @param stored the number of stored mails
 * @returns the number of mails that were not indexed at first
 */
export async function untilIndexed(database: DatabaseConfig, stored: number): Promise<number> {
  const store = await openStore({ database });
  try {
    const unindexed = async () => (await store.query(countUnindexed, stored + 1))[0]?.count ?? 0;
    const first = await unindexed();
    while ((await unindexed()) > 0) await delay(POLL_MS);
    if (database.kind === 'postgres') await analyze(database.url);
    return first;
  } finally {
    await store.close();
  }
}

/** PostgreSQL analyzes large changes by itself, but only within a minute. */
async function analyze(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('analyze');
  await client.end();
}
