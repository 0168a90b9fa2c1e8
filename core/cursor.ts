/** Page cursors: a place in the order of arrival, opaque to clients, checked when it comes back. */
import type { Position } from '../db/messages.js';
import { AppError } from './errors.js';

const PLACE = /^(\d{1,15})\.(msg_[0-9a-hjkmnp-tv-z]{26})$/;

export function encodeCursor({ receivedAt, id }: Position): string {
  return Buffer.from(`${receivedAt.getTime()}.${id}`).toString('base64url');
}

/** @throws {AppError} `invalid_request` for anything {@link encodeCursor} did not make. */
export function decodeCursor(cursor: string): Position {
  const match = PLACE.exec(Buffer.from(cursor, 'base64url').toString('latin1'));
  const position =
    match?.[1] && match[2] ? { receivedAt: new Date(Number(match[1])), id: match[2] } : null;
  if (!position || encodeCursor(position) !== cursor) {
    throw new AppError('invalid_request', '"after" is not a cursor that this service gave out.');
  }
  return position;
}
