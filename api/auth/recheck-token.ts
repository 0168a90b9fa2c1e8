import type { RequestHandler } from 'express';
import { requireLiveToken } from '../../core/auth/transaction-as.js';
import type { Context } from '../../core/context.js';

/**
 * Nothing read is answered in the name of a token that was revoked while the request was under way: the
 * token is looked at again when the JSON is ready. Always, since that costs one prepared statement, and a
 * bound on what counts as slow would only add a case. A change is answered as it was made: its
 * transaction looked at the token, and 401 would deny what happened. Refusals are looked after where
 * errors are answered. What streams instead of calling `res.json` calls {@link requireLiveToken} itself.
 */
export function refuseRevoked(context: Pick<Context, 'store'>): RequestHandler {
  return (req, res, next) => {
    if (req.method === 'GET') {
      const json = res.json.bind(res);
      const answer = async (body: unknown) => {
        await requireLiveToken(context, res.locals.caller);
        json(body);
      };
      res.json = (body: unknown) => {
        res.json = json;
        if (res.statusCode >= 400) return json(body);
        answer(body).catch(next);
        return res;
      };
    }
    next();
  };
}
