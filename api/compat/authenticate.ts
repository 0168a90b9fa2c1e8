/**
 * Who asks by the interface of another tool. Its clients send HTTP Basic (RFC 7617): the user name
 * is a mailbox, the password a token. A local program needs no credentials and reads the mailbox
 * that catches mail (api/auth/local-caller.ts).
 */
import type { Request, RequestHandler, Response } from 'express';
import { requireChanges } from '../../core/auth/roles.ts';
import { verifyToken } from '../../core/auth/tokens.ts';
import type { Caller } from '../../core/auth/caller.ts';
import type { Context } from '../../core/context.ts';
import { AppError } from '../../core/errors.ts';
import { type MailboxRow, requireMailbox } from '../../core/mailboxes/mailboxes.ts';
import { localCaller, servesLocalPrograms } from '../auth/local-caller.ts';
import { applyRateLimit } from '../auth/rate-limit.ts';
import { isSameOrigin } from '../http/origin.ts';

const BASIC = /^Basic +([A-Za-z0-9+/=_-]+) *$/i;
const CHALLENGE = 'Basic realm="Mayfly", charset="UTF-8"';

interface Asker {
  caller: Caller;
  /** Its name or address. */
  mailbox: string;
}

const mailboxes = new WeakMap<Response, string>();

const REQUIRED =
  'Credentials are required. Send HTTP Basic with a mailbox as user name and a token as password.';
const LOCAL =
  'Only a program on this machine can leave them out: it asks localhost, and neither a proxy nor a page of another origin passes its request on.';

/** Sets the caller, and the mailbox of {@link askedMailbox}. Changes need the same origin. */
export function authenticateBasic(context: Context): RequestHandler {
  const { publicUrl } = context.config.http;
  return async (req, res, next) => {
    res.setHeader('WWW-Authenticate', CHALLENGE);
    const { authorization } = req.headers;
    if (req.method !== 'GET' && !isSameOrigin(req, publicUrl)) {
      throw new AppError('forbidden', 'Pages of other origins must not change data.');
    }
    const asker =
      authorization === undefined
        ? await localCaller(context, req)
        : await askerOf(context, req, res);
    if (!asker) {
      throw new AppError(
        'unauthorized',
        servesLocalPrograms(context.config) ? `${REQUIRED} ${LOCAL}` : REQUIRED,
      );
    }
    res.removeHeader('WWW-Authenticate');
    res.locals.caller = asker.caller;
    mailboxes.set(res, asker.mailbox);
    context.auth.tokenUse.record(asker.caller.token);
    next();
  };
}

/** @throws {AppError} `not_found` if the caller can use no such mailbox. */
export function askedMailbox(context: Context, res: Response): Promise<MailboxRow> {
  return requireMailbox(context, res.locals.caller, mailboxes.get(res) ?? '');
}

/** Changes by a reader are refused. These interfaces change data by DELETE only. */
export const authorizeDeletion: RequestHandler = (req, res, next) => {
  if (req.method === 'DELETE') requireChanges(res.locals.caller.token.role);
  next();
};

async function askerOf(context: Context, req: Request, res: Response): Promise<Asker | null> {
  const [, encoded] = BASIC.exec(req.headers.authorization ?? '') ?? [];
  if (encoded === undefined) return null;
  const text = Buffer.from(encoded, 'base64').toString();
  const colon = text.indexOf(':');
  const caller = colon < 0 ? null : await verifyToken(context, text.slice(colon + 1));
  if (caller) return { caller, mailbox: text.slice(0, colon) };
  const standing = await context.rateLimits.countInvalidToken(req.ip ?? '');
  applyRateLimit(res, standing, 'Too many invalid tokens from this address.');
  throw new AppError('unauthorized', 'The token is invalid. Send a token as the password.');
}
