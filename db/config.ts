/** Configuration of the database. */

export interface SqliteConfig {
  readonly kind: 'sqlite';
  readonly path: string;
  /** Limit of the pages that a connection keeps in memory. The default of the driver is 16,000. */
  readonly cacheKiB?: number;
}

export interface PostgresConfig {
  readonly kind: 'postgres';
  /** Contains the user and the password: never log it. */
  readonly url: string;
  /** Maximum number of connections per process. */
  readonly poolSize: number;
  /** Null leaves TLS to the URL's `sslmode`. */
  readonly tls: { readonly rejectUnauthorized: boolean; readonly ca?: string } | null;
}

export type DatabaseConfig = SqliteConfig | PostgresConfig;
