import type { RequestHandler } from 'express';
import { requireLiveToken } from '../../core/auth/transaction-as.ts';
import type { Context } from '../../core/context.ts';

/**
 * Checks the token again before a JSON response, so that a token revoked during the request gets no
 * data. This applies to every read, because it costs one prepared statement. Changes are exempt:
 * their transaction checked the token, and a 401 would deny a change that was made. Error responses
 * are checked where errors are handled. Streams do not call `res.json` and use
 * {@link requireLiveToken}.
 */
export function refuseRevoked(context: Pick<Context, 'now' | 'store'>): RequestHandler {
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
