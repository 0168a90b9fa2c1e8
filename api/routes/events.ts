import { type Request, type Response, Router } from 'express';
import type { Caller } from '../../core/auth/caller.js';
import { includes, scopeOf } from '../../core/auth/reach.js';
import { requireLiveToken, tokenRevoked } from '../../core/auth/transaction-as.js';
import type { Context } from '../../core/context.js';
import { AppError } from '../../core/errors.js';
import type { Listener } from '../../core/events/hub.js';
import { type LiveEvent, withoutLabels } from '../../core/events/event.js';
import { findMailbox } from '../../core/mailboxes/mailboxes.js';
import { type EventStream, openEventStream } from '../http/event-stream.js';

type Streaming = Pick<Context, 'metrics' | 'now' | 'store' | 'events'>;

const BEAT_MS = 15_000;
const MAX_STREAMS = 100;

/** The events that a stream includes, and the last one received. */
interface Choice {
  wants: (event: LiveEvent) => boolean;
  isLast: (event: LiveEvent) => boolean;
}

const all: Choice = { wants: () => true, isLast: () => false };

/** Limits a choice to the mailboxes of a narrow token. */
function within({ token }: Caller, { wants, isLast }: Choice): Choice {
  if (token.mailboxes === null) return { wants, isLast };
  const scope = scopeOf(token.mailboxes);
  const isReached = ({ mailbox: name, labels }: LiveEvent) => includes(scope, { name, labels });
  return { wants: (event) => isReached(event) && wants(event), isLast };
}

const ofMailbox = (id: string): Choice => ({
  wants: ({ mailboxId }) => mailboxId === id,
  isLast: ({ type }) => type === 'mailbox.deleted',
});

export function eventRoutes(context: Streaming): Router {
  const router = Router();

  router.get('/api/events', async (req, res) => {
    await streamEvents(context, req, res, all);
  });

  router.get('/api/mailboxes/:name/events', async (req, res) => {
    const { id } = await findMailbox(context, res.locals.caller, req.params.name);
    await streamEvents(context, req, res, ofMailbox(id));
  });

  return router;
}

/** Streams events until the client disconnects or loses its permission. */
async function streamEvents(
  context: Streaming,
  req: Request,
  res: Response,
  choice: Choice,
): Promise<void> {
  const { workspace, token } = res.locals.caller;
  const { hub } = context.events;
  if (hub.count(workspace.id) >= MAX_STREAMS) {
    res.setHeader('Retry-After', BEAT_MS / 1000);
    throw new AppError(
      'rate_limited',
      `Event stream limit reached (${MAX_STREAMS} per workspace). Close a stream first.`,
    );
  }
  const stream = openEventStream(res);
  if (res.locals.headOnly) {
    stream.end();
    return;
  }
  const who = { workspaceId: workspace.id, tokenId: token.id };
  const listener = listen(stream, within(res.locals.caller, choice), res);
  const subscription = await hub.subscribe(who, req.get('Last-Event-ID'), listener);
  const isAllowed = async () => {
    try {
      await requireLiveToken(context, res.locals.caller);
      return true;
    } catch (error) {
      // If the token cannot be checked now, it is checked at the next beat.
      const isRevoked = error instanceof AppError && error.code === 'unauthorized';
      if (isRevoked) listener.revoked();
      return !isRevoked;
    }
  };
  const beat = setInterval(() => {
    void isAllowed().then((allowed) => {
      if (allowed) stream.beat(subscription.lastId());
    });
  }, BEAT_MS);
  const { eventStreams } = context.metrics.http;
  eventStreams.inc();
  const expiry = atTime(context.now, token.expiresAt, () => {
    listener.revoked();
  });
  const end = () => {
    clearInterval(beat);
    clearTimeout(expiry);
    subscription.end();
    eventStreams.dec();
  };
  res.once('close', end);
  if (res.closed) end();
  // The token can have been revoked while Redis was read.
  if (await isAllowed()) stream.send('ready', {}, subscription.lastId());
}

function listen(stream: EventStream, { wants, isLast }: Choice, res: Response): Listener {
  return {
    event({ id, event }) {
      if (!wants(event)) return;
      stream.send(event.type, withoutLabels(event), id);
      if (isLast(event)) stream.end();
    },
    reset: () => {
      stream.send('reset', {});
    },
    revoked: () => {
      const { message, code } = tokenRevoked();
      stream.send('closed', { error: message, code, requestId: res.locals.requestId });
      stream.end();
    },
    stopping: stream.end,
  };
}

/** The longest delay of a timer of Node.js. */
const MAX_DELAY_MS = 2 ** 31 - 1;

/** Calls `act` at this time, unless it is too far away: then the token is checked at each beat. */
function atTime(now: () => number, time: Date | null, act: () => void): NodeJS.Timeout | undefined {
  const delay = time === null ? Infinity : time.getTime() - now();
  return delay > MAX_DELAY_MS ? undefined : setTimeout(act, delay);
}
