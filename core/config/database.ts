/** Database configuration. */
import { isAbsolute, join, resolve } from 'node:path';
import * as z from 'zod';
import type { DatabaseConfig } from '../../db/config.ts';
import { textFile } from './values.ts';

export const databaseVariables = {
  DATABASE_URL: z
    .string()
    .regex(/^(?:sqlite:.+|postgres(?:ql)?:\/\/.+)/, 'must be sqlite:PATH or postgres://...')
    .refine((url) => url.startsWith('sqlite:') || URL.canParse(url), 'must be a URL')
    .optional()
    .meta({
      description: 'URL of the database.',
      accepts: '`sqlite:PATH`, `postgres://...`',
      fallback: '`sqlite:DATA_DIR/mayfly.sqlite`',
    }),
  DATABASE_POOL_SIZE: z
    .string()
    .regex(/^[1-9]\d{0,2}$/, 'must be a whole number from 1 to 999')
    .transform(Number)
    .default(10)
    .meta({
      description: 'Largest number of PostgreSQL connections of one process.',
      accepts: '1 to 999',
    }),
  DATABASE_TLS: z.enum(['verify', 'require'], 'must be verify or require').optional().meta({
    description:
      'TLS to PostgreSQL. `require` encrypts but does not verify the server certificate.',
    fallback: '`sslmode` of `DATABASE_URL`',
  }),
  DATABASE_CA_FILE: textFile().optional().meta({
    description: 'PEM file with the authority that signed the certificate of PostgreSQL.',
  }),
};

type DatabaseEnvironment = z.infer<z.ZodObject<typeof databaseVariables>>;

export function databaseFaults(e: DatabaseEnvironment): string[] {
  const isPostgres = e.DATABASE_URL?.startsWith('postgres') ?? false;
  return (['DATABASE_TLS', 'DATABASE_CA_FILE'] as const)
    .filter((name) => e[name] !== undefined && !isPostgres)
    .map((name) => `${name} is set, but DATABASE_URL is not a PostgreSQL URL`);
}

export function databaseConfig(e: DatabaseEnvironment, dataDir: string): DatabaseConfig {
  const url = e.DATABASE_URL;
  if (url === undefined) return { kind: 'sqlite', path: join(dataDir, 'mayfly.sqlite') };
  if (url.startsWith('sqlite:')) {
    const path = url.slice('sqlite:'.length);
    return { kind: 'sqlite', path: isAbsolute(path) ? path : resolve(path) };
  }
  const ca = e.DATABASE_CA_FILE;
  const mode = e.DATABASE_TLS ?? (ca === undefined ? undefined : 'verify');
  const tls =
    mode === undefined
      ? null
      : { rejectUnauthorized: mode === 'verify', ...(ca === undefined ? {} : { ca }) };
  return {
    kind: 'postgres',
    url: tls ? withoutSslMode(url) : url,
    poolSize: e.DATABASE_POOL_SIZE,
    tls,
  };
}

/** TLS settings in the URL would take precedence over the separate ones. */
function withoutSslMode(url: string): string {
  const parsed = new URL(url);
  parsed.searchParams.delete('sslmode');
  return parsed.href;
}
