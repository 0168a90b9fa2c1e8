import type { Response } from 'express';
import { requireLiveToken } from '../core/change-as.js';
import type { Context } from '../core/context.js';

/** As `res.json` answers, with JSON that is ready. @throws {AppError} `unauthorized` for a token revoked meanwhile. */
export async function sendJson(
  context: Pick<Context, 'config' | 'store'>,
  res: Response,
  json: Buffer,
): Promise<void> {
  if (context.config.validateResponses) {
    res.json(JSON.parse(json.toString())); // the validator wants a value
    return;
  }
  await requireLiveToken(context, res.locals.caller);
  res.type('json').send(json);
}
