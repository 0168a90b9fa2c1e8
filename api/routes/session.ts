import { Router } from 'express';
import type { Context } from '../../core/context.ts';
import { mailboxLimit } from '../../core/workspaces/workspaces.ts';
import { csrfToken } from '../../core/auth/browser-sessions.ts';
import type { Caller } from '../../core/auth/caller.ts';
import { clearSessionCookie, sessionIdOf, setSessionCookie } from '../auth/session-cookie.ts';
import type { Shape } from '../contract/contract.ts';

export function sessionRoutes(
  context: Pick<Context, 'config' | 'auth'>,
  boardPath: string,
): Router {
  const router = Router();
  const present = (caller: Caller, sessionId: string | undefined) =>
    presentSession(context, boardPath, caller, sessionId);

  router.post<string, object, Shape<'Session'>>('/api/session', async (_req, res) => {
    const { caller } = res.locals;
    const sessionId = await context.auth.sessions.create(caller.token.id);
    setSessionCookie(context, res, sessionId);
    res.status(201).json(present(caller, sessionId));
  });

  router.get<string, object, Shape<'Session'>>('/api/session', (_req, res) => {
    res.json(present(res.locals.caller, res.locals.sessionId));
  });

  router.delete('/api/session', async (req, res) => {
    const sessionId = sessionIdOf(req);
    if (sessionId !== undefined) await context.auth.sessions.delete(sessionId);
    clearSessionCookie(context, res);
    res.status(204).end();
  });

  return router;
}

function presentSession(
  { config }: Pick<Context, 'config'>,
  boardPath: string,
  { workspace, token }: Caller,
  sessionId: string | undefined,
): Shape<'Session'> {
  const { http, smtp, webhooks, messageTtlMs, operatorPassword } = config;
  return {
    workspace: { id: workspace.id, domain: workspace.domain, plan: workspace.plan },
    token: {
      ...{ id: token.id, name: token.name, prefix: token.prefix, role: token.role },
      expiresAt: token.expiresAt?.toISOString() ?? null,
      mailboxes: token.mailboxes,
    },
    limits: {
      mailboxes: mailboxLimit(config, workspace.plan),
      webhooksPerMailbox: webhooks.perMailbox || null,
      messageTtlMs,
    },
    publicUrl: http.publicUrl,
    smtp: {
      host: new URL(http.publicUrl).hostname,
      port: smtp.port,
      selfSigned: smtp.tls?.isSelfSigned === true,
    },
    queuesUrl: operatorPassword === null ? null : `${boardPath}/`,
    csrfToken: sessionId === undefined ? null : csrfToken(sessionId),
  };
}
