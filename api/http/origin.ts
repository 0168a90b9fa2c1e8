/** Whether a page of a browser asks, and of which origin (RFC 6454, W3C Fetch Metadata). */
import type { Request } from 'express';

/**
 * Whether the request is from a page of this service or from no browser, or is a read that the user
 * typed. Browsers send basic credentials with every request, including those made by pages of other
 * sites. They report the origin in `Sec-Fetch-Site` or, on plain HTTP, in `Origin`. Another port is
 * another site.
 */
export function isSameOrigin(req: Request, publicUrl: string): boolean {
  return req.headers['sec-fetch-site'] === undefined
    ? hasOwnOrigin(req, publicUrl)
    : hasOwnSite(req);
}

/** Whether `Sec-Fetch-Site` is absent, or tells of no other origin. */
export function hasOwnSite({ method, headers }: Request): boolean {
  const site = headers['sec-fetch-site'];
  return site === undefined || site === 'same-origin' || (site === 'none' && method === 'GET');
}

/**
 * Whether `Origin` is absent, that of the public URL, or that of the host that the request used.
 * `null`, as of a page in a sandbox, is another origin, and so are several.
 */
export function hasOwnOrigin(req: Request, publicUrl: string): boolean {
  const { origin } = req.headers;
  if (origin === undefined) return true;
  // A proxy that ends TLS passes plain HTTP on.
  const used = ['http', 'https'].map((scheme) => `${scheme}://${req.host}`);
  return [publicUrl, ...used].some((url) => URL.canParse(url) && new URL(url).origin === origin);
}
