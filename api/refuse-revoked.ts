import type { RequestHandler } from 'express';
import { requireLiveToken } from '../core/change-as.js';
import type { Context } from '../core/context.js';

/**
 * Nothing is answered in the name of a token that was revoked while the request was under way: reads and
 * refusals look at the token again when their JSON is ready. Always, since that costs one prepared
 * statement, and a bound on what counts as slow would only add a case. A change that was made is answered
 * as it is: its transaction looked at the token, and 401 would deny what happened. What streams
 * instead of calling `res.json` has to call {@link requireLiveToken} itself.
 */
export function refuseRevoked(context: Context): RequestHandler {
  return (req, res, next) => {
    const json = res.json.bind(res);
    const answer = async (body: unknown) => {
      await requireLiveToken(context, res.locals.caller);
      json(body);
    };
    res.json = (body: unknown) => {
      res.json = json;
      const { statusCode } = res;
      const done = req.method !== 'GET' && statusCode < 400;
      if (done || statusCode === 401 || statusCode >= 500) return json(body);
      answer(body).catch(next);
      return res;
    };
    next();
  };
}
