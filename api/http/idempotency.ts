import type { Request, Response } from 'express';
import type { Caller } from '../../core/auth/caller.ts';
import type { Context } from '../../core/context.ts';
import { type Answer, once } from '../../core/redis/idempotency.ts';
import { newSeed } from '../../core/ids.ts';

/** Responds to a create request, only once per Idempotency-Key if it has one. */
export async function answerOnce<Body>(
  context: Context,
  req: Pick<Request, 'method' | 'path' | 'body' | 'get'>,
  res: Response<Body>,
  run: (seed: string) => Promise<Answer<Body>>,
): Promise<void> {
  const { status, body } = await runOnce(context, req, res, run);
  res.status(status).json(body);
}

/** Performs a request, only once per Idempotency-Key if it has one. */
export async function runOnce<Body>(
  context: Context,
  req: Pick<Request, 'method' | 'path' | 'body' | 'get'>,
  res: Response,
  run: (seed: string) => Promise<Answer<Body>>,
): Promise<Answer<Body>> {
  const key = req.get('Idempotency-Key');
  if (key === undefined) return run(newSeed(context.now()));
  const { status, body, replayed } = await once(
    context,
    {
      owner: ownerOf(res.locals.caller),
      operation: `${req.method} ${req.path}`,
      key,
      body: req.body as unknown,
    },
    run,
  );
  if (replayed) res.setHeader('Idempotency-Replayed', 'true');
  return { status, body };
}

/** A narrow token does not get the responses of other tokens. */
function ownerOf({ workspace, token }: Caller): string {
  return token.mailboxes === null ? workspace.id : token.id;
}
