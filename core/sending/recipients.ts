/** Resolves the recipients of a send, which must be mailboxes of the sender's workspace. */
import { mailboxesByName } from '../../db/statements/mailboxes.ts';
import { addressFault, addressFaults, parseAddress, recipientAddress } from '../addresses.ts';
import type { Caller } from '../auth/caller.ts';
import { reachOf } from '../auth/reach.ts';
import type { Context } from '../context.ts';
import { AppError } from '../errors.ts';

export interface SendRecipient {
  mailboxId: string;
  /** In lower case, with the tag unchanged. */
  address: string;
  /** In the caller's spelling. */
  tag: string | null;
}

export interface SendRecipients {
  to: SendRecipient[];
  cc: SendRecipient[];
  /** All To and Cc recipients in order. Tags that differ in case are distinct. */
  all: SendRecipient[];
}

/**
 * @throws {AppError} `unprocessable` naming each address that is malformed or not a mailbox of the
 *   workspace that the caller can use.
 */
export async function resolveRecipients(
  context: Pick<Context, 'now' | 'store'>,
  caller: Caller,
  to: string[],
  cc: string[],
): Promise<SendRecipients> {
  const { workspace } = caller;
  const parsed = new Map([...to, ...cc].map((address) => [address, parseAddress(address.trim())]));
  const names = [...parsed.values()].flatMap((recipient) => (recipient ? [recipient.name] : []));
  const rows = await context.store.query(mailboxesByName, reachOf(context, caller), [
    ...new Set(names),
  ]);
  const idByName = new Map(rows.map(({ id, name }) => [name, id]));

  const find = (address: string): SendRecipient | null => {
    const recipient = parsed.get(address);
    if (recipient?.domain !== workspace.domain) return null;
    const mailboxId = idByName.get(recipient.name);
    return mailboxId
      ? { mailboxId, address: recipientAddress(recipient), tag: recipient.tag }
      : null;
  };
  const bad = [...parsed.keys()].filter((address) => find(address) === null);
  if (bad.length > 0) reject(bad);
  const found = (addresses: string[]) => addresses.flatMap((address) => find(address) ?? []);
  return { to: distinct(found(to)), cc: distinct(found(cc)), all: found([...to, ...cc]) };
}

function distinct(recipients: SendRecipient[]): SendRecipient[] {
  const byAddress = new Map<string, SendRecipient>();
  for (const recipient of recipients) {
    if (!byAddress.has(recipient.address)) byAddress.set(recipient.address, recipient);
  }
  return [...byAddress.values()];
}

function reject(bad: string[]): never {
  throw new AppError(
    'unprocessable',
    `These addresses are not mailboxes of this workspace: ${bad.map(describe).join(', ')}. Nothing was sent.`,
    {
      details: { recipients: bad },
    },
  );
}

/** The address as JSON, with its fault if it is malformed. */
function describe(address: string): string {
  const fault = addressFault(address.trim());
  const text = JSON.stringify(address.slice(0, 320));
  return fault === null ? text : `${text} (${addressFaults[fault]})`;
}
