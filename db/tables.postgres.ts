import { columns } from './columns.postgres.js';
import { defineTables } from './tables.js';

export const {
  workspaces,
  tokens,
  mailboxes,
  mails,
  messages,
  attachments,
  webhooks,
  deliveries,
  deliveryAttempts,
} = defineTables(columns);
