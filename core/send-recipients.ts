/** Whom a send is for: mailboxes of the sender's own workspace and nobody else. */
import { mailboxesByName } from '../db/mailboxes.js';
import type { WorkspaceRow } from '../db/workspaces.js';
import { type Recipient, mailboxAddress, parseAddress } from './addresses.js';
import type { Context } from './context.js';
import { AppError } from './errors.js';

export interface SendRecipient {
  mailboxId: string;
  /** Lower-cased, tag kept. */
  address: string;
  /** As the caller wrote it. */
  tag: string | null;
}

export interface SendRecipients {
  to: SendRecipient[];
  cc: SendRecipient[];
  /** The distinct ones of both, in their order. */
  all: SendRecipient[];
}

/** @throws {AppError} `unprocessable` naming each address that is malformed or not a mailbox here. */
export async function resolveRecipients(
  context: Context,
  workspace: WorkspaceRow,
  to: string[],
  cc: string[],
): Promise<SendRecipients> {
  const parsed = new Map([...to, ...cc].map((address) => [address, parseAddress(address)]));
  const names = [...parsed.values()].flatMap((recipient) => (recipient ? [recipient.name] : []));
  const rows = await context.store.ask(mailboxesByName, workspace.id, [...new Set(names)]);
  const idByName = new Map(rows.map(({ id, name }) => [name, id]));

  const find = (address: string): SendRecipient | null => {
    const recipient = parsed.get(address);
    if (recipient?.domain !== workspace.domain) return null;
    const mailboxId = idByName.get(recipient.name);
    return mailboxId ? { mailboxId, address: plainAddress(recipient), tag: recipient.tag } : null;
  };
  const bad = [...parsed.keys()].filter((address) => find(address) === null);
  if (bad.length > 0) refuse(bad);
  const found = (addresses: string[]) =>
    distinct(addresses.flatMap((address) => find(address) ?? []));
  return { to: found(to), cc: found(cc), all: found([...to, ...cc]) };
}

/** One spelling for one address: lower case, the workspace's own form of the domain. */
function plainAddress({ name, tag, domain }: Recipient): string {
  return mailboxAddress(tag ? `${name}+${tag.toLowerCase()}` : name, domain);
}

function distinct(recipients: SendRecipient[]): SendRecipient[] {
  const byAddress = new Map<string, SendRecipient>();
  for (const recipient of recipients) {
    if (!byAddress.has(recipient.address)) byAddress.set(recipient.address, recipient);
  }
  return [...byAddress.values()];
}

function refuse(bad: string[]): never {
  const shown = bad.map((address) => JSON.stringify(address.slice(0, 320))).join(', ');
  throw new AppError(
    'unprocessable',
    `Not mailboxes of this workspace: ${shown}. Nothing was sent.`,
    {
      details: { recipients: bad },
    },
  );
}
