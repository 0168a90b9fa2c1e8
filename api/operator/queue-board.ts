/** The queues page for the operator, below its mount path. Not available without a password. */
import type { RequestHandler } from 'express';
import { contentSecurityPolicy } from 'helmet';
import type { Context } from '../../core/context.ts';
import { requireOperator } from '../auth/operator-password.ts';
import { onlyOwnChanges } from '../auth/same-origin.ts';

/** The board uses inline styles and data URLs, and no other or external resources. */
const policy = contentSecurityPolicy({
  useDefaults: false,
  directives: {
    defaultSrc: ["'self'"],
    styleSrc: ["'self'", "'unsafe-inline'"],
    imgSrc: ["'self'", 'data:'],
    baseUri: ["'self'"],
    formAction: ["'self'"],
    frameAncestors: ["'none'"],
  },
});

/** The handlers for the board at `basePath`; empty if it is not available. */
export function queueBoard(context: Context, basePath: string): RequestHandler[] {
  const { config } = context;
  if (config.operatorPassword === null) return [];

  let opening: Promise<RequestHandler> | undefined;
  // Loaded by the first request: Bull Board takes several MB, and few operators open it.
  const open = () =>
    (opening ??= import('./board.ts').then(({ openBoard }) => openBoard(context, basePath)));
  return [
    policy,
    requireOperator(context, config.operatorPassword),
    onlyOwnChanges(config.http.publicUrl),
    async (req, res, next) => {
      const board = await open();
      await board(req, res, next);
    },
  ];
}
