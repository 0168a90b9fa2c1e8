import type { Request, Response } from 'express';
import type { Caller } from '../../core/auth/caller.js';
import type { Context } from '../../core/context.js';
import { type Answer, once } from '../../core/idempotency.js';
import { newSeed } from '../../core/ids.js';

/** Responds to a create request, only once per Idempotency-Key if it has one. */
export async function answerOnce<Body>(
  context: Context,
  req: Pick<Request, 'method' | 'path' | 'body' | 'get'>,
  res: Response<Body>,
  run: (seed: string) => Promise<Answer<Body>>,
): Promise<void> {
  const key = req.get('Idempotency-Key');
  if (key === undefined) {
    const { status, body } = await run(newSeed(context.now()));
    res.status(status).json(body);
    return;
  }
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
  res.status(status).json(body);
}

/** A narrow token does not get the responses of other tokens. */
function ownerOf({ workspace, token }: Caller): string {
  return token.mailboxes === null ? workspace.id : token.id;
}
