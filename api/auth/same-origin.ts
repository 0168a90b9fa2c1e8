/**
 * Rejects cross-site changes. Browsers send basic credentials with every request, including those
 * made by pages of other sites. They report the origin in `Sec-Fetch-Site` (W3C Fetch Metadata) or,
 * on plain HTTP, in `Origin` (RFC 6454 section 7). A client that sends neither is not a browser.
 */
import type { Request, RequestHandler } from 'express';
import { AppError } from '../../core/errors.ts';

/** Rejects changes requested by pages of another site. Another port is another site. */
export function onlyOwnChanges(publicUrl: string): RequestHandler {
  const publicHost = new URL(publicUrl).host;
  return (req, _res, next) => {
    // HEAD has become GET at this point.
    if (req.method !== 'GET' && !isOwn(req, publicHost)) {
      throw new AppError(
        'forbidden',
        'Cross-origin requests must not change data. Use the pages of this service.',
      );
    }
    next();
  };
}

function isOwn(req: Request, publicHost: string): boolean {
  const { 'sec-fetch-site': site, origin } = req.headers;
  if (site !== undefined) return site === 'same-origin';
  if (origin === undefined) return true;
  const host = URL.canParse(origin) ? new URL(origin).host : null;
  return host !== null && (host === req.host || host === publicHost);
}
