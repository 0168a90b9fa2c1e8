/** Serves the dashboard: a single page with scripts and styles that routes on the client. */
import { join } from 'node:path';
import express, { type RequestHandler, Router } from 'express';
import { contentSecurityPolicy } from 'helmet';
import { ROOT } from '../../core/root.ts';

/** The output of Vite. */
const BUILT = join(ROOT, 'dist/dashboard');

const PAGES = [
  '/',
  '/sign-in',
  '/tokens',
  '/messages',
  '/messages/{*rest}',
  '/mailboxes',
  '/mailboxes/{*rest}',
];

/** Only resources of this origin, no inline scripts, no text as markup (Trusted Types). */
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

/** The files have a content hash in their name and are cached; the page itself is revalidated. */
export function dashboardFiles(): Router {
  const router = Router({ strict: true }); // otherwise `//` would also serve the page
  const assets = express.static(join(BUILT, 'assets'), {
    immutable: true,
    maxAge: '1y',
    index: false,
    redirect: false,
  });
  const page: RequestHandler = (req, res, next) => {
    // Handles every method, because Express would answer OPTIONS itself.
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
