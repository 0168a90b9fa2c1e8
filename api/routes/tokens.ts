import { Router } from 'express';
import type { Context } from '../../core/context.ts';
import { type Token, createToken, listTokens, revokeToken } from '../../core/auth/tokens.ts';
import type { Shape } from '../contract/contract.ts';
import { sendArray } from './json-items.ts';

export function tokenRoutes(context: Context): Router {
  const router = Router();

  router.get<string, object, Shape<'Token'>[]>('/api/tokens', async (_req, res) => {
    await sendArray(context, res, listTokens(context, res.locals.caller), (rows) =>
      rows.map((row) => ({ ...present(row), lastUsedAt: row.lastUsedAt?.toISOString() ?? null })),
    );
  });

  router.post<string, object, Shape<'CreatedToken'>, Shape<'NewToken'>>(
    '/api/tokens',
    async (req, res) => {
      const { row, value } = await createToken(context, res.locals.caller, req.body);
      res.status(201).json({ ...present(row), token: value });
    },
  );

  router.delete('/api/tokens/:id', async (req, res) => {
    await revokeToken(context, res.locals.caller, req.params.id);
    res.status(204).end();
  });

  return router;
}

function present({ id, name, prefix, role, createdAt, expiresAt, mailboxes }: Token) {
  return {
    ...{ id, name, prefix, role, mailboxes },
    createdAt: createdAt.toISOString(),
    expiresAt: expiresAt?.toISOString() ?? null,
  };
}
