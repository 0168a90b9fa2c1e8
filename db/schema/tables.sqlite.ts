import { sqliteColumns } from './columns.sqlite.js';
import { defineTables } from './tables.js';

export const tables = defineTables(sqliteColumns);
export const {
  instances,
  workspaces,
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
