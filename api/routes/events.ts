import { type Request, type Response, Router } from 'express';
import { requireLiveToken } from '../../core/auth/transaction-as.js';
import type { Context } from '../../core/context.js';
import { AppError } from '../../core/errors.js';
import type { Listener } from '../../core/events/hub.js';
import type { LiveEvent } from '../../core/events/event.js';
import { findMailbox } from '../../core/mailboxes/mailboxes.js';
import { type EventStream, openEventStream } from '../http/event-stream.js';

type Streaming = Pick<Context, 'metrics' | 'store' | 'events'>;

const BEAT_MS = 15_000;
const MAX_STREAMS = 100;

/** Which events a stream tells, and which of them is the last. */
interface Choice {
  wants: (event: LiveEvent) => boolean;
  isLast: (event: LiveEvent) => boolean;
}

const all: Choice = { wants: () => true, isLast: () => false };

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
    const { id } = await findMailbox(context, res.locals.caller.workspace, req.params.name);
    await streamEvents(context, req, res, ofMailbox(id));
  });

  return router;
}

/** Answers with events for as long as the client stays and may hear them. */
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
    throw new AppError('rate_limited', `This workspace has ${MAX_STREAMS} event streams open.`);
  }
  const stream = openEventStream(res);
  if (res.locals.headOnly) {
    stream.end();
    return;
  }
  const who = { workspaceId: workspace.id, tokenId: token.id };
  const listener = listen(stream, choice, res);
  const subscription = await hub.subscribe(who, req.get('Last-Event-ID'), listener);
  const isAllowed = async () => {
    try {
      await requireLiveToken(context, res.locals.caller);
      return true;
    } catch (error) {
      // Whoever cannot be asked about it now is asked at the next beat.
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
  const end = () => {
    clearInterval(beat);
    subscription.end();
    eventStreams.dec();
  };
  res.once('close', end);
  if (res.closed) end();
  // It may have been revoked while Redis was asked.
  if (await isAllowed()) stream.send('ready', {}, subscription.lastId());
}

function listen(stream: EventStream, { wants, isLast }: Choice, res: Response): Listener {
  return {
    event({ id, event }) {
      if (!wants(event)) return;
      stream.send(event.type, event, id);
      if (isLast(event)) stream.end();
    },
    reset: () => {
      stream.send('reset', {});
    },
    revoked: () => {
      const error = 'The token was revoked.';
      stream.send('closed', { error, code: 'unauthorized', requestId: res.locals.requestId });
      stream.end();
    },
    stopping: stream.end,
  };
}
