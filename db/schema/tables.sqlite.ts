import { sqliteColumns } from './columns.sqlite.ts';
import { defineTables } from './tables.ts';

export const tables = defineTables(sqliteColumns);
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
