/** The dashboard: a page that the build made, with its scripts and styles. It finds its own way by the path. */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import express, { type RequestHandler, Router } from 'express';
import { contentSecurityPolicy } from 'helmet';

/** From `dist/api`, where this runs, to what Vite made. */
const BUILT = fileURLToPath(new URL('../../dashboard/', import.meta.url));

const PAGES = ['/', '/sign-in', '/tokens', '/mailboxes', '/mailboxes/{*rest}'];

/** Everything comes from here, nothing is written in the page, and no text becomes markup. */
const policy = contentSecurityPolicy({
  useDefaults: false,
  directives: {
    defaultSrc: ["'none'"],
    scriptSrc: ["'self'"],
    styleSrc: ["'self'"],
    imgSrc: ["'self'", 'data:'],
    connectSrc: ["'self'"],
    fontSrc: ["'self'"],
    frameSrc: ["'self'"],
    formAction: ["'self'"],
    baseUri: ["'none'"],
    frameAncestors: ["'none'"],
    requireTrustedTypesFor: ["'script'"],
  },
});

/** The files bear a hash of their content in their name; the page that names them is asked for each time. */
export function dashboardFiles(): Router {
  const router = Router({ strict: true }); // or `//` would be the page, too
  const assets = express.static(join(BUILT, 'assets'), {
    immutable: true,
    maxAge: '1y',
    index: false,
    redirect: false,
  });
  const page: RequestHandler = (req, res, next) => {
    // For any method, since Express would answer OPTIONS by itself.
    if (req.method !== 'GET') {
      next();
      return;
    }
    res.setHeader('Cache-Control', 'no-cache');
    res.sendFile('index.html', { root: BUILT, cacheControl: false });
  };
  router.use('/assets', assets);
  router.all(PAGES, policy, page);
  return router;
}
