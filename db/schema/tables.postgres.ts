import { columns } from './columns.postgres.ts';
import { defineTables } from './tables.ts';

export const tables = defineTables(columns);

// drizzle-kit finds only tables that are named exports.
export const {
  instances,
  schemaVersions,
  workspaces,
  messageNumbers,
  tokens,
  mailboxes,
  mailboxLabels,
  smtpCredentials,
  mails,
  messages,
  caughtRecipients,
  claims,
  attachments,
  webhooks,
  deliveries,
  deliveryAttempts,
  searchPending,
  searchEntries,
} = tables;
