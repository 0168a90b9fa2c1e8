import type { Request, Response } from 'express';
import { mailboxNameOf } from '../../core/addresses.ts';
import type { Caller } from '../../core/auth/caller.ts';
import type { Context } from '../../core/context.ts';
import {
  type IdempotentResponse,
  type IdempotentOperation,
  runIdempotent,
} from '../../core/redis/idempotency.ts';
import { newSeed } from '../../core/ids.ts';

type CreateRequest = Pick<Request, 'method' | 'path' | 'body' | 'get'> & {
  params: { name?: string };
};

/** Responds to a create request, only once per Idempotency-Key if it has one. */
export async function respondOnce<Body, Kept>(
  context: Context,
  req: CreateRequest,
  res: Response<Body>,
  work: IdempotentOperation<Body, Kept>,
): Promise<void> {
  const { status, body } = await runOnce(context, req, res, work);
  res.status(status).json(body);
}

/** Performs a request, only once per Idempotency-Key if it has one. */
export async function runOnce<Body, Kept>(
  context: Context,
  req: CreateRequest,
  res: Response,
  work: IdempotentOperation<Body, Kept>,
): Promise<IdempotentResponse<Body>> {
  const key = req.get('Idempotency-Key');
  if (key === undefined) return work.run(newSeed(context.now()));
  const { status, body, replayed } = await runIdempotent(
    context,
    {
      workspaceId: res.locals.caller.workspace.id,
      owner: ownerOf(res.locals.caller),
      operation: operationOf(req, res.locals.caller.workspace.domain),
      key,
      body: req.body as unknown,
    },
    work,
  );
  if (replayed) res.setHeader('Idempotency-Replayed', 'true');
  return { status, body };
}

/** The request without its body, alike for each way to write the name of a mailbox. */
function operationOf({ method, path, params: { name } }: CreateRequest, domain: string): string {
  if (name === undefined) return `${method} ${path}`;
  return `${method} ${path.replace(/^\/api\/mailboxes\/[^/]+/, `/api/mailboxes/${mailboxNameOf(name, domain)}`)}`;
}

/** A narrow token does not get the responses of other tokens. */
function ownerOf({ workspace, token }: Caller): string {
  return token.mailboxes === null ? workspace.id : token.id;
}
