/**
 * The pool of connections to PostgreSQL. `pg` gives the errors of a lost connection no code, so that they are told
 * from faults of a statement or of our own code by where they arise: what connecting fails with, what a client emits
 * as its `error`, and a query without an answer become a {@link ConnectionFailure}; all else passes unchanged.
 */
import pg from 'pg';

/** The server cannot be reached, or the connection to it is lost; `cause` says how. */
export class ConnectionFailure extends Error {
  override name = 'ConnectionFailure';
}

/** A connection that is watched for its loss. */
export interface Connection<Client extends pg.ClientBase = pg.PoolClient> {
  readonly client: Client;
  /** Runs one query of this connection. @throws {ConnectionFailure}; what the query itself fails with. */
  readonly answer: <Result>(query: () => PromiseLike<Result>) => Promise<Result>;
  /** Makes the connection unfit for further use. */
  readonly discard: (reason: Error) => void;
  readonly isLost: () => boolean;
}

export interface Connections {
  /** Its own queries are not watched. */
  readonly pool: pg.Pool;
  /**
   * Runs work on a connection that nobody else uses meanwhile; a lost or discarded one is not used again.
   * @throws {ConnectionFailure}; what the work fails with.
   */
  use: <Result>(work: (connection: Connection) => Promise<Result>) => Promise<Result>;
  close: () => Promise<void>;
}

/** @param answerTimeoutMs how long a query may take before its connection counts as lost. */
export function openConnections(config: pg.PoolConfig, answerTimeoutMs: number): Connections {
  const pool = new pg.Pool(config);
  // The pool replaces an idle connection that ends.
  pool.on('error', () => undefined);
  const watched = new WeakMap<pg.PoolClient, Connection>();

  return {
    pool,
    async use(work) {
      const client = await connected(() => pool.connect());
      const connection = watched.get(client) ?? watch(client, answerTimeoutMs);
      watched.set(client, connection);
      try {
        return await work(connection);
      } finally {
        client.release(connection.isLost());
      }
    },
    close: () => pool.end(),
  };
}

/** @throws {ConnectionFailure} for whatever connecting fails with. */
export async function connected<Result>(connect: () => Promise<Result>): Promise<Result> {
  try {
    return await connect();
  } catch (cause) {
    throw new ConnectionFailure('There is no connection to the database.', { cause });
  }
}

/** @param answerTimeoutMs 0 for no limit. */
export function watch<Client extends pg.ClientBase>(
  client: Client,
  answerTimeoutMs: number,
): Connection<Client> {
  let lostBy: Error | null = null;
  let fail: ((failure: ConnectionFailure) => void) | null = null;
  const failure = (cause: Error) =>
    new ConnectionFailure('The connection to the database is lost.', { cause });
  const discard = (reason: Error) => {
    lostBy ??= reason;
    fail?.(failure(reason));
  };
  // Emitted before the queries of this connection fail.
  client.on('error', discard);

  return {
    client,
    discard,
    isLost: () => lostBy !== null,
    async answer<Result>(query: () => PromiseLike<Result>): Promise<Result> {
      if (lostBy) throw failure(lostBy);
      const lost = new Promise<never>((_, reject) => (fail = reject));
      const late = () => {
        discard(new Error(`The database gave no answer in ${answerTimeoutMs} ms.`));
      };
      const timer = answerTimeoutMs > 0 ? setTimeout(late, answerTimeoutMs) : undefined;
      try {
        return await Promise.race([query(), lost]);
      } finally {
        clearTimeout(timer);
        fail = null;
      }
    },
  };
}
