/** Accepts or rejects recipients (RCPT). */
import { setTimeout as delay } from 'node:timers/promises';
import constants from 'haraka-constants';
import {
  type Recipient,
  addressFault,
  localPartOctets,
  mailboxAddress,
  readAddress,
} from '../../core/addresses.ts';
import type { Config } from '../../core/config/config.ts';
import type { FrontContext } from '../../core/context.ts';
import type { Guesses } from '../../core/limits/recipient-guesses.ts';
import type { MailRecipient } from '../../core/intake/accepted-mail.ts';
import type { RecipientLookup, ReceivingMailbox } from '../../core/directory/recipients.ts';
import { withTimeout } from '../../core/with-timeout.ts';
import { type Envelope, addRecipient, envelopeOf } from '../envelope.ts';
import {
  type Verdict,
  badRecipient,
  expiredRecipient,
  queueFull,
  recipientOk,
  recipientSyntax,
  recipientTooLong,
  relayDenied,
  replyText,
  tooManyErrors,
  tooManyGuesses,
  tooManyRecipients,
  tooManyTags,
  tooMuchMail,
  tryLater,
  unknownRecipient,
} from '../replies.ts';
import { recipientParametersFault, utf8Fault } from './mail.ts';

/**
 * Recipients above SMTP_MAX_RCPT and SMTP_MAX_TAGS that one mail can name. A client sends the rest
 * in another mail (RFC 5321 section 4.5.3.1.10).
 */
const MAX_OVERSHOOT = 1000;

/** Time limit for each lookup in Redis: long enough for a stall of 5 s and the backlog after it. */
const LOOKUP_TIMEOUT_MS = 8_000;

/** Reply delay for a client that guesses addresses: the replies reveal which mailboxes exist. */
const GUESS_DELAY_MS = 1_000;

/** RFC 5321 section 4.1.1.3: the only recipient without a domain that can be a mailbox. */
const POSTMASTER = 'postmaster';

/** RFC 5321 section 4.5.3.1.1. */
const MAX_LOCAL_PART_OCTETS = 64;
/** A path has up to 256 octets including the angle brackets (RFC 5321 section 4.5.3.1.3). */
const MAX_ADDRESS_OCTETS = 254;

type Front = Pick<
  FrontContext,
  | 'config'
  | 'directory'
  | 'guessLimit'
  | 'knownRecipients'
  | 'mailSpool'
  | 'rateLimits'
  | 'log'
  | 'now'
>;

/** Replies to RCPT. Adds accepted recipients to the envelope. */
export async function replyToRcpt(
  front: Front,
  connection: Haraka.Connection,
  address: Haraka.Address,
  parameters: Haraka.EsmtpParameters,
): Promise<Verdict> {
  const envelope = envelopeOf(connection);
  if (!envelope) return tryLater;
  // Before all else: what exists must not show in the words or the time of a reply.
  const guesses = await readGuesses(front, connection, envelope);
  if (guesses === 'too many') return settle(front, connection, envelope, address, tooManyGuesses);
  const fault =
    recipientCountFault(envelope, front.config.smtp.maxRecipients) ??
    recipientParametersFault(parameters) ??
    utf8Fault(address, envelope.allowsUtf8, recipientSyntax.unicode);
  if (fault) return fault;

  if (address.address === '') return badRecipient;
  const syntax = mailboxSyntaxFault(address.address);
  if (syntax && envelope.catcher === null) return syntax;
  const recipient = resolvePostmaster(front.config, readAddress(address.address));
  const found = await lookUp(front, recipient, envelope.catcher);
  const destination = await destinationOf(front, connection, envelope, recipient, found);
  const isAccepted = destination !== null && (destination.isCaught === true || syntax === null);
  const reply = isAccepted ? recipientOk : refusalOf(found, syntax);
  const limited = await limitGuesses(front, connection, guesses, reply);
  const verdict =
    limited === recipientOk && isAccepted
      ? await limitVerdict(front, connection, envelope, destination)
      : limited;
  await settle(front, connection, envelope, address, verdict);
  if (verdict === recipientOk && destination) {
    addRecipient(envelope, { ...destination, recipient: address.address });
  }
  return verdict;
}

/** Notes a refusal, and returns the reply when it is time to send it. */
async function settle(
  front: Front,
  connection: Haraka.Connection,
  envelope: Envelope,
  address: Haraka.Address,
  verdict: Verdict,
): Promise<Verdict> {
  if (verdict !== recipientOk) noteRefusal(front, connection, envelope, address, verdict);
  await delayGuesses(connection, front.config.smtp.maxUnknownRecipients, verdict);
  return verdict;
}

type Destination = Omit<MailRecipient, 'recipient'> & ReceivingMailbox;

/**
 * The mailbox of a recipient, or null. With a credential: a live mailbox of its workspace,
 * otherwise the mailbox of the credential. Without one: a live mailbox, otherwise the catch-all
 * mailbox, except for an address of another workspace, or of a deleted or expired mailbox. Caught
 * addresses have no tag.
 */
async function destinationOf(
  { directory, now }: Pick<Front, 'directory' | 'now'>,
  { remote }: Haraka.Connection,
  { catcher }: Envelope,
  recipient: Recipient,
  found: RecipientLookup,
): Promise<Destination | null> {
  if (found.outcome === 'incomplete') return null;
  const isOwn = catcher?.kind !== 'credential' || recipient.domain === catcher.domain;
  if (found.outcome === 'mailbox' && isOwn) {
    return { mailboxId: found.mailboxId, workspaceId: found.workspaceId, tag: recipient.tag };
  }
  if (catcher === null) return null;
  if (catcher.kind === 'credential') {
    if (catcher.expiresAt !== null && catcher.expiresAt <= now()) return null;
    return { ...catcher.receiver, tag: null, isCaught: true };
  }
  if (!catcher.isFor(remote.ip)) return null;
  if (found.outcome === 'expired') return null;
  if (found.outcome === 'unknown' && recipient.domain !== catcher.domain) return null;
  const address = mailboxAddress(recipient.name, recipient.domain);
  const receiver = await replied(() => directory.catcherOf(catcher.mailbox, address));
  return receiver && { ...receiver, tag: null, isCaught: true };
}

/**
 * The reply to an address that cannot be that of a mailbox, or null. Only mail that is caught can
 * have such a recipient.
 */
function mailboxSyntaxFault(address: string): Verdict | null {
  if (address.toLowerCase() === POSTMASTER) return null;
  const fault = addressFault(address);
  if (fault) return recipientSyntax[fault];
  const isTooLong =
    localPartOctets(address) > MAX_LOCAL_PART_OCTETS ||
    Buffer.byteLength(address) > MAX_ADDRESS_OCTETS;
  return isTooLong ? recipientTooLong : null;
}

function refusalOf({ outcome }: RecipientLookup, syntax: Verdict | null): Verdict {
  if (outcome === 'incomplete') return tryLater;
  if (syntax) return syntax;
  if (outcome === 'foreign') return relayDenied;
  return outcome === 'expired' ? expiredRecipient : unknownRecipient;
}

/**
 * Looks up the mailbox of a recipient: in memory, or in one round trip to Redis, in which the room
 * for its mail is read too. With a credential, an address of another domain is caught whatever the
 * directory contains, and is not looked up.
 */
async function lookUp(
  { directory, knownRecipients: recipients, mailSpool: { room } }: Front,
  recipient: Recipient,
  catcher: Envelope['catcher'],
): Promise<RecipientLookup> {
  if (catcher?.kind === 'credential' && recipient.domain !== catcher.domain) return FOREIGN;
  const address = mailboxAddress(recipient.name, recipient.domain);
  const known = await knownMailbox(recipients, address);
  if (known) return known;
  const find = () => recipients.query(address, () => directory.lookup(recipient));
  const [found] = await replied(() => Promise.all([find(), room.isKnown() || room.isFull()]));
  return found;
}

/** The reply to an address that receives mail. */
async function limitVerdict(
  { config: { smtp }, mailSpool, rateLimits }: Front,
  { remote }: Haraka.Connection,
  envelope: Envelope,
  { mailboxId, workspaceId, tag }: Destination,
): Promise<Verdict> {
  const { recipients, tags } = envelope;
  const known = tags.get(mailboxId);
  if (smtp.maxTags > 0 && tag !== null && known && !known.has(tag) && known.size >= smtp.maxTags) {
    return overshoot(envelope, tooManyTags);
  }
  const { room } = mailSpool;
  const hasRoom = room.isKnown(workspaceId) || !(await replied(() => room.isFull(workspaceId)));
  if (!hasRoom) return queueFull;
  // MAIL has counted the first recipient.
  if (smtp.ratePerIp === 0 || recipients.length === 0) return recipientOk;
  return (await rateLimits.countMail(remote.ip))?.exceeded ? tooMuchMail : recipientOk;
}

/** Rejects after LOOKUP_TIMEOUT_MS. */
function replied<Reply>(ask: () => Promise<Reply>): Promise<Reply> {
  return withTimeout(LOOKUP_TIMEOUT_MS, ask, `no reply from Redis within ${LOOKUP_TIMEOUT_MS} ms`);
}

const FOREIGN: RecipientLookup = { outcome: 'foreign' };

async function knownMailbox(
  recipients: Front['knownRecipients'],
  address: string,
): Promise<RecipientLookup | null> {
  const known = await recipients.find(address);
  if (!known) return null;
  const { mailboxId, workspaceId } = known;
  return { outcome: 'mailbox', mailboxId, workspaceId, address };
}

/** @param allowed SMTP_MAX_RCPT; 0 for no limit. */
function recipientCountFault(envelope: Envelope, allowed: number): Verdict | null {
  if (allowed === 0 || envelope.recipients.length < allowed) return null;
  return overshoot(envelope, tooManyRecipients);
}

function overshoot(envelope: Envelope, verdict: Verdict): Verdict {
  envelope.overshoot += 1;
  return envelope.overshoot > MAX_OVERSHOOT ? tooManyErrors : verdict;
}

/**
 * RFC 5321 section 4.5.1: postmaster without a domain must be accepted. With `POSTMASTER` set, it
 * is delivered to that mailbox; otherwise it is treated like any other name.
 */
function resolvePostmaster({ smtp, mailDomain }: Config, recipient: Recipient): Recipient {
  if (recipient.name !== POSTMASTER) return recipient;
  return {
    ...recipient,
    name: smtp.postmaster ?? recipient.name,
    domain: recipient.domain || mailDomain,
  };
}

function noteRefusal(
  { log }: Front,
  { notes, remote }: Haraka.Connection,
  { refusedRecipients }: Envelope,
  { address }: Haraka.Address,
  verdict: Verdict,
): void {
  refusedRecipients.count += 1;
  refusedRecipients.last = address;
  if (verdict.code === constants.deny) {
    notes.unknownRecipients = (notes.unknownRecipients ?? 0) + 1;
  }
  log.debug('recipient refused', {
    recipient: address,
    remote: remote.ip,
    reply: replyText(verdict),
  });
}

/** The unknown recipients of the client's address; null for a client that has logged in. */
async function readGuesses(
  { guessLimit }: Pick<Front, 'guessLimit'>,
  { remote }: Haraka.Connection,
  { catcher }: Envelope,
): Promise<Guesses | null> {
  if (catcher?.kind === 'credential') return null;
  return replied(() => guessLimit.read(remote.ip));
}

/**
 * Counts an unknown recipient, and replaces the reply by 421 above
 * SMTP_MAX_UNKNOWN_RCPT_PER_MINUTE. A known one can have been looked up while others of the same
 * address reached the limit, and then gets 421 too.
 */
async function limitGuesses(
  { guessLimit }: Pick<Front, 'guessLimit'>,
  { remote }: Haraka.Connection,
  before: Guesses | null,
  reply: Verdict,
): Promise<Verdict> {
  const isUnknown = reply === unknownRecipient || reply === expiredRecipient;
  const isKnown = reply === recipientOk;
  if (before === null || !(isUnknown || (isKnown && before === 'some'))) return reply;
  const ask = isUnknown ? guessLimit.count : guessLimit.read;
  return (await replied(() => ask(remote.ip))) === 'too many' ? tooManyGuesses : reply;
}

/** @param allowed SMTP_MAX_UNKNOWN_RCPT; 0 for no limit. */
async function delayGuesses(
  { notes }: Haraka.Connection,
  allowed: number,
  verdict: Verdict,
): Promise<void> {
  const isAbove = allowed > 0 && (notes.unknownRecipients ?? 0) > allowed;
  if (isAbove || verdict === tooManyGuesses) await delay(GUESS_DELAY_MS);
}
