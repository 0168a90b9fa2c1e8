/** Contexts in which a part of a group is replaced. */
import type { Context, IngestServices } from '../../../core/context.ts';
import { parseKeyring } from '../../../core/secrets/keyring.ts';

export const withIngest = (context: Context, parts: Partial<IngestServices>): Context => ({
  ...context,
  ingest: { ...context.ingest, ...parts },
});

export const withKeyring = (context: Context, keys: string): Context => ({
  ...context,
  secrets: { ...context.secrets, keyring: parseKeyring(keys) },
});
