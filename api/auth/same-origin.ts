/**
 * Browsers send basic credentials along with every request, also with those that another site's page makes.
 * They say where a request comes from: in `Sec-Fetch-Site` (W3C Fetch Metadata), and where that is missing, as
 * on plain HTTP away from localhost, in `Origin` (RFC 6454 section 7). What sends neither is no browser.
 */
import type { Request, RequestHandler } from 'express';
import { AppError } from '../../core/errors.js';

/** Refuses changes that another site's page asks for. A neighbour on another port is another site. */
export function onlyOwnChanges(publicUrl: string): RequestHandler {
  const publicHost = new URL(publicUrl).host;
  return (req, _res, next) => {
    // HEAD has become GET by now.
    if (req.method !== 'GET' && !isOwn(req, publicHost)) {
      throw new AppError(
        'forbidden',
        'Cross-origin changes are not allowed. Use the pages of this service.',
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
