/**
 * Links to large attachments that work without a token: an HMAC over what they name and when they end,
 * under a key derived from the keyring. The newest key signs, every key of the ring verifies. Behind the
 * link the message is looked up again, so that it ends with the message, too.
 */
import { timingSafeEqual } from 'node:crypto';
import { INLINE_MAX_BYTES } from './blobs.js';
import type { Context } from './context.js';
import { AppError } from './errors.js';
import { type Key, keyedHash } from './keyring.js';

/** Interface, "Limits": signed attachment URL validity. */
const VALID_MS = 60 * 60_000;

export interface AttachmentLink {
  messageId: string;
  attachmentId: string;
  /** Milliseconds since 1970, in decimal digits. */
  expires: string;
  signature: string;
}

/** The signed URL of an attachment, or null for one of at most 1 MiB. */
export function attachmentUrl(
  { config, keyring, now }: Pick<Context, 'config' | 'keyring' | 'now'>,
  messageId: string,
  attachment: { id: string; size: number },
): string | null {
  if (attachment.size <= INLINE_MAX_BYTES) return null;
  const expires = String(now() + VALID_MS);
  const signature = sign(keyring[0], messageId, attachment.id, expires).toString('base64url');
  return `${config.http.publicUrl}/attachments/${messageId}/${attachment.id}?expires=${expires}&signature=${signature}`;
}

/** @throws {AppError} `forbidden` for a link whose time is over, or that is not as we made it. */
export function checkAttachmentLink(
  { keyring, now }: Pick<Context, 'keyring' | 'now'>,
  { messageId, attachmentId, expires, signature }: AttachmentLink,
): void {
  const given = Buffer.from(signature, 'base64url');
  const genuine =
    given.toString('base64url') === signature &&
    keyring.some((key) => isEqual(sign(key, messageId, attachmentId, expires), given));
  if (!genuine || now() >= Number(expires)) {
    throw new AppError(
      'forbidden',
      'The link is not valid, or not any more. Fetch the message again for a new one.',
    );
  }
}

/** No id holds a line break, so that no two links sign the same text. */
function sign(key: Key, ...parts: string[]): Buffer {
  return keyedHash(key, 'attachment-url', parts.join('\n'));
}

function isEqual(expected: Buffer, given: Buffer): boolean {
  return given.length === expected.length && timingSafeEqual(given, expected);
}
