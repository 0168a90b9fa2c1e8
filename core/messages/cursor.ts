/** Page cursors: a position in an order, opaque to clients and validated on use. */
import type { MessagePosition } from '../../db/statements/messages.ts';
import { AppError } from '../errors.ts';
import type { MailboxPosition } from '../mailboxes/mailboxes.ts';

const ULID = '[0-9a-hjkmnp-tv-z]{26}';
const MESSAGE = new RegExp(`^(\\d{1,15})\\.(msg_${ULID})$`);
const MAILBOX = new RegExp(`^(\\d{1,15})\\.(mbx_${ULID})$`);
const DELIVERY = new RegExp(`^dlv_${ULID}$`);

/** Later than any message. */
export const NEWEST: MessagePosition = {
  receivedAt: new Date('9999-12-31T23:59:59.999Z'),
  id: '~', // sorts after every id
};

/** The order of arrival: negative if `a` is older. */
export function comparePositions(a: MessagePosition, b: MessagePosition): number {
  const ms = a.receivedAt.getTime() - b.receivedAt.getTime();
  return ms === 0 ? (a.id < b.id ? -1 : Number(a.id > b.id)) : ms;
}

/** Encodes the position of a message in the order of arrival. */
export function encodeCursor({ receivedAt, id }: MessagePosition): string {
  return encodePlace(receivedAt, id);
}

/** @throws {AppError} `invalid_request` for a cursor that {@link encodeCursor} did not create. */
export function decodeCursor(cursor: string): MessagePosition {
  const { time, id } = decodePlace(MESSAGE, cursor);
  return { receivedAt: time, id };
}

/** Encodes the position of a mailbox in the list. */
export function encodeMailboxCursor({ createdAt, id }: MailboxPosition): string {
  return encodePlace(createdAt, id);
}

/**
 * @throws {AppError} `invalid_request` for a cursor that {@link encodeMailboxCursor} did not
 *   create.
 */
export function decodeMailboxCursor(cursor: string): MailboxPosition {
  const { time, id } = decodePlace(MAILBOX, cursor);
  return { createdAt: time, id };
}

/** Encodes the position of a delivery within its webhook. */
export function encodeDeliveryCursor(id: string): string {
  return encode(id);
}

/**
 * @throws {AppError} `invalid_request` for a cursor that {@link encodeDeliveryCursor} did not
 *   create.
 */
export function decodeDeliveryCursor(cursor: string): string {
  const id = decode(cursor);
  return DELIVERY.test(id) && encodeDeliveryCursor(id) === cursor ? id : refuse();
}

/** The position of a caught address in a list. */
export function encodeAddressCursor(address: string): string {
  return Buffer.from(`to:${address}`).toString('base64url');
}

/**
 * @throws {AppError} `invalid_request` for a cursor that {@link encodeAddressCursor} did not
 *   create.
 */
export function decodeAddressCursor(cursor: string): string {
  const [, address = ''] = /^to:(.+)$/su.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  return address && encodeAddressCursor(address) === cursor ? address : refuse();
}

function encodePlace(time: Date, id: string): string {
  return encode(`${time.getTime()}.${id}`);
}

/** The form must be exactly that of {@link encodePlace}. */
function decodePlace(form: RegExp, cursor: string): { time: Date; id: string } {
  const [, at = '', id = ''] = form.exec(decode(cursor)) ?? [];
  const time = new Date(Number(at));
  return id && encodePlace(time, id) === cursor ? { time, id } : refuse();
}

function encode(place: string): string {
  return Buffer.from(place).toString('base64url');
}

function decode(cursor: string): string {
  return Buffer.from(cursor, 'base64url').toString('latin1');
}

function refuse(): never {
  throw new AppError(
    'invalid_request',
    '"after" is not a valid cursor. Use the nextCursor of the previous page.',
  );
}
