/**
 * Signed links to large attachments, for downloads without a token: an HMAC over the ids and the
 * expiry, with a key derived from the keyring. The newest key signs; every key of the ring
 * verifies. Each download looks the message up again, so a link does not outlive its message.
 */
import { timingSafeEqual } from 'node:crypto';
import { INLINE_MAX_BYTES } from '../blobs/blob-store.ts';
import type { Context } from '../context.ts';
import { AppError } from '../errors.ts';
import { type MasterKey, keyedHash } from '../secrets/keyring.ts';

/** How long a signed attachment URL is valid. */
const LINK_TTL_MS = 60 * 60_000;

export interface AttachmentLink {
  messageId: string;
  attachmentId: string;
  /** Milliseconds since 1970, in decimal digits. */
  expires: string;
  signature: string;
}

/** The signed URL of an attachment, or null for one of at most 1 MiB. */
export function attachmentUrl(
  { config, secrets, now }: Pick<Context, 'config' | 'secrets' | 'now'>,
  messageId: string,
  attachment: { id: string; size: number },
): string | null {
  if (attachment.size <= INLINE_MAX_BYTES) return null;
  const expires = String(now() + LINK_TTL_MS);
  const signature = sign(secrets.keyring[0], messageId, attachment.id, expires).toString(
    'base64url',
  );
  return `${config.http.publicUrl}/attachments/${messageId}/${attachment.id}?expires=${expires}&signature=${signature}`;
}

/** @throws {AppError} `forbidden` if the link has expired or its signature is invalid. */
export function checkAttachmentLink(
  { secrets, now }: Pick<Context, 'secrets' | 'now'>,
  { messageId, attachmentId, expires, signature }: AttachmentLink,
): void {
  const given = Buffer.from(signature, 'base64url');
  const isValid =
    given.toString('base64url') === signature &&
    secrets.keyring.some((key) => isEqual(sign(key, messageId, attachmentId, expires), given));
  if (!isValid || now() >= Number(expires)) {
    throw new AppError(
      'forbidden',
      'The link is invalid or has expired. Fetch the message again to get a new link.',
    );
  }
}

/** Ids contain no line breaks, so no two links sign the same text. */
function sign(key: MasterKey, ...parts: string[]): Buffer {
  return keyedHash(key, 'attachment-url', parts.join('\n'));
}

function isEqual(expected: Buffer, given: Buffer): boolean {
  return given.length === expected.length && timingSafeEqual(given, expected);
}
