import type { Command } from './command.ts';
import { claimCommands } from './commands/claims.ts';
import { completionOf } from './commands/completion.ts';
import { liveCommands } from './commands/live.ts';
import { login } from './commands/login.ts';
import { mailboxCommands } from './commands/mailbox.ts';
import { mcp } from './commands/mcp.ts';
import { messageCommands } from './commands/messages.ts';
import { smtpCreate } from './commands/smtp.ts';
import { waitCommands } from './commands/wait.ts';

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
