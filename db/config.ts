/** Which database to open. */

export interface SqliteConfig {
  readonly kind: 'sqlite';
  readonly path: string;
}

export interface PostgresConfig {
  readonly kind: 'postgres';
  /** Contains the user and the password: never log it. */
  readonly url: string;
  /** The maximum number of connections of one process. */
  readonly poolSize: number;
  /** Null leaves TLS to the URL's `sslmode`. */
  readonly tls: { readonly rejectUnauthorized: boolean; readonly ca?: string } | null;
}

export type DatabaseConfig = SqliteConfig | PostgresConfig;
