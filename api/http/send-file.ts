import { pipeline } from 'node:stream/promises';
import type { Response } from 'express';
import type { Context } from '../../core/context.js';
import { downloadHeaders } from '../../core/blobs/download-headers.js';
import { type StoredFile, openFile } from '../../core/messages/files.js';

/**
 * Answers with a stored file, streamed, to be saved and not to be shown: it came by mail, from anybody.
 * @throws {AppError} `not_found`, `unavailable`, before anything is sent.
 */
export async function sendFile(
  context: Pick<Context, 'log' | 'blobs'>,
  file: StoredFile,
  res: Response,
): Promise<void> {
  const blob = res.locals.headOnly ? null : await openFile(context, file);
  const { contentType, contentDisposition } = downloadHeaders(file);
  res.setHeader('Content-Type', contentType); // as it is: `res.type` would add a charset
  res.setHeader('Content-Disposition', contentDisposition);
  res.setHeader('Content-Length', blob?.size ?? file.size);
  res.setHeader('X-Content-Type-Options', 'nosniff');
  res.setHeader('Content-Security-Policy', "sandbox; default-src 'none'");
  if (!blob) {
    res.end();
    return;
  }
  try {
    await pipeline(blob.stream, res);
  } catch (error) {
    if (!isHungUp(error)) throw error;
  }
}

/** The client went away in the middle, which is its own affair. */
function isHungUp(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ERR_STREAM_PREMATURE_CLOSE';
}
