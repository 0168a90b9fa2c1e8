/**
 * Serves the contract: `/docs` (Swagger UI, without external resources), `/openapi.yaml` and
 * `/openapi.json`.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import express, { Router } from 'express';
import { ROOT } from '../../core/root.ts';
import { CONTRACT, CONTRACT_JSON } from './contract.ts';

/** The files of Swagger UI, which the build copies. */
const REFERENCE = join(ROOT, 'dist/reference');

const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Mayfly API</title>
    <link rel="stylesheet" href="swagger-ui.css">
    <link rel="icon" type="image/png" href="favicon-32x32.png">
  </head>
  <body>
    <div id="docs"></div>
    <script src="swagger-ui-bundle.js"></script>
    <script src="start.js"></script>
  </body>
</html>
`;

/** `validatorUrl: null` prevents requests to the online validator of Swagger. */
const START = `SwaggerUIBundle({
  url: '../openapi.json',
  dom_id: '#docs',
  deepLinking: true,
  validatorUrl: null,
  persistAuthorization: false,
});
`;

export function docsRoutes(): Router {
  const router = Router({ strict: true });

  router.get('/openapi.yaml', async (_req, res) => {
    res.type('application/yaml').send(await readFile(CONTRACT, 'utf8'));
  });
  router.get('/openapi.json', async (_req, res) => {
    res.type('json').send(await readFile(CONTRACT_JSON, 'utf8'));
  });
  router.get('/docs', (_req, res) => {
    res.redirect(308, '/docs/');
  });
  router.get('/docs/', (_req, res) => {
    res.type('html').send(PAGE);
  });
  router.get('/docs/start.js', (_req, res) => {
    res.type('text/javascript').send(START);
  });
  router.use('/docs', express.static(REFERENCE, { index: false, redirect: false }));
  return router;
}
