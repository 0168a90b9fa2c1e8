/**
 * The PostgreSQL connection pool. `pg` reports a lost connection without an error code. Connection
 * failures are therefore recognized by where they occur and become a {@link ConnectionFailure}:
 * errors of connecting, `error` events of a client, and queries without a response. Other errors
 * pass unchanged.
 */
import pg from 'pg';

/** The server is unreachable or the connection is lost; `cause` has the details. */
export class ConnectionFailure extends Error {
  override name = 'ConnectionFailure';
}

/** A connection that detects its loss. */
export interface Connection<Client extends pg.ClientBase = pg.PoolClient> {
  readonly client: Client;
  /**
   * Runs one query on this connection. @throws {ConnectionFailure}; errors of the query pass
   * unchanged.
   */
  readonly answer: <Result>(query: () => PromiseLike<Result>) => Promise<Result>;
  /** Excludes the connection from further use. */
  readonly discard: (reason: Error) => void;
  readonly isLost: () => boolean;
}

export interface Connections {
  /** Queries made directly on the pool are not monitored. */
  readonly pool: pg.Pool;
  /**
   * Runs work with exclusive use of a connection. A lost or discarded connection is not reused.
   * @throws {ConnectionFailure}; errors of the work pass unchanged.
   */
  use: <Result>(work: (connection: Connection) => Promise<Result>) => Promise<Result>;
  close: () => Promise<void>;
}

/** @param answerTimeoutMs time limit of a query, after which its connection counts as lost. */
export function openConnections(config: pg.PoolConfig, answerTimeoutMs: number): Connections {
  const pool = new pg.Pool(config);
  // Without this handler the error of an idle connection would end the process. The pool replaces
  // the connection.
  pool.on('error', () => undefined);
  const watched = new WeakMap<pg.PoolClient, Connection>();

  return {
    pool,
    async use(work) {
      const client = await connected(() => pool.connect());
      const connection = watched.get(client) ?? watchClient(client, answerTimeoutMs);
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

/** @throws {ConnectionFailure} for any error of connecting. */
export async function connected<Result>(connect: () => Promise<Result>): Promise<Result> {
  try {
    return await connect();
  } catch (cause) {
    throw new ConnectionFailure('Cannot connect to the database.', { cause });
  }
}

/** @param answerTimeoutMs 0 for no limit. */
export function watchClient<Client extends pg.ClientBase>(
  client: Client,
  answerTimeoutMs: number,
): Connection<Client> {
  let lostBy: Error | null = null;
  let fail: ((failure: ConnectionFailure) => void) | null = null;
  const failure = (cause: Error) =>
    new ConnectionFailure('The connection to the database was lost.', { cause });
  const discard = (reason: Error) => {
    lostBy ??= reason;
    fail?.(failure(reason));
  };
  // Emitted before the queries of this connection reject.
  client.on('error', discard);

  return {
    client,
    discard,
    isLost: () => lostBy !== null,
    async answer<Result>(query: () => PromiseLike<Result>): Promise<Result> {
      if (lostBy) throw failure(lostBy);
      const lost = new Promise<never>((_, reject) => (fail = reject));
      const late = () => {
        discard(new Error(`The database did not respond within ${answerTimeoutMs} ms.`));
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
