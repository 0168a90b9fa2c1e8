import { pipeline } from 'node:stream/promises';
import type { Response } from 'express';
import type { Context } from '../../core/context.ts';
import { downloadHeaders } from '../../core/blobs/download-headers.ts';
import { type StoredFile, openFile } from '../../core/messages/files.ts';

/**
 * Streams a stored file as a download. It is untrusted content of a mail and must not be displayed.
 * @throws {AppError} `not_found`, `unavailable`, before anything is sent.
 */
export async function sendFile(
  context: Pick<Context, 'log' | 'blobs'>,
  file: StoredFile,
  res: Response,
): Promise<void> {
  const blob = res.locals.headOnly ? null : await openFile(context, file);
  const { contentType, contentDisposition } = downloadHeaders(file);
  res.setHeader('Content-Type', contentType); // set directly, because `res.type` would add a charset
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

/** The client disconnected during the download, which is not an error of the server. */
function isHungUp(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ERR_STREAM_PREMATURE_CLOSE';
}
