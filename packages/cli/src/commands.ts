import type { Command } from './command.js';
import { claimCommands } from './commands/claims.js';
import { completionOf } from './commands/completion.js';
import { liveCommands } from './commands/live.js';
import { login } from './commands/login.js';
import { mailboxCommands } from './commands/mailbox.js';
import { mcp } from './commands/mcp.js';
import { messageCommands } from './commands/messages.js';
import { smtpCreate } from './commands/smtp.js';
import { waitCommands } from './commands/wait.js';

const listed: Command[] = [
  ...mailboxCommands,
  ...waitCommands,
  ...claimCommands,
  ...messageCommands,
  smtpCreate,
  ...liveCommands,
  mcp,
  login,
];

export const commands: readonly Command[] = [...listed, completionOf(listed)];
