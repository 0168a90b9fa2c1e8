import { Router } from 'express';
import { claimMessages, openClaimQueues } from '../../core/claims/claim.ts';
import {
  requireLiveClaim,
  extendHeldClaim,
  releaseHeldClaim,
} from '../../core/claims/held-claims.ts';
import type { Context } from '../../core/context.ts';
import { AppError } from '../../core/errors.ts';
import { requireMailbox } from '../../core/mailboxes/mailboxes.ts';
import { readMark } from '../../core/messages/mark.ts';
import { compileCriteria } from '../../core/matching/criteria.ts';
import type { WaitServices } from '../../core/waits/wait.ts';
import { renewRateLimit } from '../auth/rate-limit.ts';
import { runOnce } from '../http/idempotency.ts';
import { readSince } from '../http/query.ts';
import { closingSignal, readerOf } from '../http/request.ts';
import { sendMessages } from './json-items.ts';
import type { MessageJson } from './message-json.ts';
import { retryAtOnce } from './waits.ts';
import type { QueryParameters, Shape } from '../contract/contract.ts';

type ClaimRow = Awaited<ReturnType<typeof requireLiveClaim>>;
/** What a repeat with the same Idempotency-Key gets; its messages are read again. */
type Kept = Omit<Shape<'ClaimResult'>, 'messages'>;

const CLOSED =
  'Nothing was claimed: the client has closed its side of the connection. Keep it open.';

const CLAIM = '/api/mailboxes/:name/messages/:id/claim';

export function claimRoutes(context: Context, json: MessageJson, parts: WaitServices): Router {
  const router = Router();
  const queues = openClaimQueues(context, parts);

  router.post<string, { name: string }, Shape<'ClaimResult'>, Shape<'ClaimRequest'>>(
    '/api/mailboxes/:name/messages/claim',
    async (req, res) => {
      const { caller } = res.locals;
      const mailbox = await requireMailbox(context, caller, req.params.name);
      const { mark } = req.body;
      const after = mark === null ? {} : { after: await readMark(context, mailbox, mark) };
      const asked = { ...readRequest(req.body), ...after };
      const isKeyed = req.get('Idempotency-Key') !== undefined;
      const gone = closingSignal(req, res);
      const claim = async (seed: string) => {
        const request = { ...asked, seed, isKeyed };
        const result = await claimMessages(
          context,
          parts,
          queues,
          { caller, mailbox, gone },
          request,
        ).catch(retryAtOnce(res));
        // A repeat with the same key makes the claim that this client did not get.
        if (!result) throw new AppError('unavailable', CLOSED);
        const body: Kept = { ...result, claims: result.claims.map(presentClaim) };
        return { status: 200, body, kept: result.claims.length > 0 ? body : null };
      };
      const { body } = await runOnce(context, req, res, {
        run: claim,
        repeat: (kept: Kept) => ({ status: 200, body: kept }),
      });
      await renewRateLimit(context, res, body.waitedMs);
      const ids = body.claims.map(({ messageId }) => messageId);
      await sendMessages(context, res, json.ofIds(readerOf(req, res), mailbox, ids), body);
    },
  );

  router.get<string, { name: string; id: string }, Shape<'Claim'>>(CLAIM, async (req, res) => {
    const mailbox = await requireMailbox(context, res.locals.caller, req.params.name);
    res.json(presentClaim(await requireLiveClaim(context, mailbox, req.params.id)));
  });

  router.put<string, { name: string; id: string }, Shape<'Claim'>, Shape<'ClaimChange'>>(
    CLAIM,
    async (req, res) => {
      const { caller } = res.locals;
      const { claimId, expiresIn } = req.body;
      const mailbox = await requireMailbox(context, caller, req.params.name);
      const change = { claimId, leaseMs: leaseOf(expiresIn) };
      res.json(
        presentClaim(await extendHeldClaim(context, caller, mailbox, req.params.id, change)),
      );
    },
  );

  router.delete<
    string,
    { name: string; id: string },
    unknown,
    unknown,
    QueryParameters<'releaseClaim'>
  >(CLAIM, async (req, res) => {
    const { caller } = res.locals;
    const mailbox = await requireMailbox(context, caller, req.params.name);
    await releaseHeldClaim(context, caller, mailbox, req.params.id, req.query.claimId);
    res.status(204).end();
  });

  return router;
}

function readRequest(body: Shape<'ClaimRequest'>) {
  const { match = {}, limit, timeout, owner, expiresIn } = body; // the validator sets defaults
  const { since, ...criteria } = match;
  return {
    criteria: compileCriteria(criteria),
    limit,
    timeout,
    owner: owner?.toWellFormed() ?? null,
    leaseMs: leaseOf(expiresIn),
    ...(since === undefined ? {} : { since: readSince(since) }),
  };
}

/** Seconds to milliseconds. */
function leaseOf(expiresIn: number | null): number | null {
  return expiresIn === null ? null : expiresIn * 1000;
}

function presentClaim({ id, messageId, owner, expiresAt }: ClaimRow): Shape<'Claim'> {
  return { id, messageId, owner, expiresAt: expiresAt?.toISOString() ?? null };
}
