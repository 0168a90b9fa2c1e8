import { type Request, type Response, Router } from 'express';
import type { Caller } from '../../core/auth/caller.ts';
import { includes, scopeOf } from '../../core/auth/reach.ts';
import { requireLiveToken, tokenRevoked } from '../../core/auth/transaction-as.ts';
import type { Context } from '../../core/context.ts';
import { AppError } from '../../core/errors.ts';
import type { Listener } from '../../core/events/hub.ts';
import { type LiveEvent, sentEvent } from '../../core/events/event.ts';
import { type EventFieldsReader, openEventFields } from '../../core/messages/event-fields.ts';
import { requireMailbox, findMailbox } from '../../core/mailboxes/mailboxes.ts';
import { readMark } from '../../core/messages/mark.ts';
import { compileCriteria } from '../../core/matching/criteria.ts';
import { type EventFilter, eventFilter } from '../../core/matching/event-filter.ts';
import { atTime } from '../../core/waits/sleep.ts';
import type { WaitServices } from '../../core/waits/wait.ts';
import type { QueryParameters, Shape } from '../contract/contract.ts';
import { type EventStream, openEventStream } from '../http/event-stream.ts';

type Streaming = Pick<Context, 'metrics' | 'now' | 'store' | 'events' | 'log'>;

const BEAT_MS = 15_000;
const MAX_STREAMS = 100;

/** The events that a stream includes, and the last one received. */
interface Choice {
  wants: (event: LiveEvent) => boolean;
  isLast: (event: LiveEvent) => boolean;
  /** Absent if every event is sent. */
  filter?: EventFilter;
  /** Absent if every event is sent. @throws {DatabaseUnavailable} */
  shows?: (event: LiveEvent) => Promise<boolean>;
}

/** The event as clients receive it. */
type Tell = (event: LiveEvent) => Promise<Shape<'LiveEvent'>>;

const all: Choice = { wants: () => true, isLast: () => false };

/**
 * Limits a choice to the mailboxes of a narrow token: those that it reached at the time of the
 * event and, for a message, which is read now, reaches now.
 */
function within(context: Streaming, caller: Caller, choice: Choice): Choice {
  const { mailboxes } = caller.token;
  if (mailboxes === null) return choice;
  const scope = scopeOf(mailboxes);
  const wasReached = ({ mailbox: name, labels }: LiveEvent) => includes(scope, { name, labels });
  return {
    ...choice,
    wants: (event) => wasReached(event) && choice.wants(event),
    shows: async ({ type, mailbox }) =>
      type !== 'message.received' ||
      (await findMailbox(context, caller, mailbox)) !== undefined ||
      // A deleted mailbox has no message to show.
      (await findMailbox(context, withoutScope(caller), mailbox)) === undefined,
  };
}

const withoutScope = (caller: Caller): Caller => ({
  ...caller,
  token: { ...caller.token, mailboxes: null },
});

const ofMailbox = (id: string): Choice => ({
  wants: ({ mailboxId }) => mailboxId === id,
  isLast: ({ type }) => type === 'mailbox.deleted',
});

export function eventRoutes(
  context: Streaming,
  { contents }: Pick<WaitServices, 'contents'>,
): Router {
  const router = Router();
  const tell = tellWith(openEventFields(context));

  router.get<string, object, unknown, unknown, QueryParameters<'streamEvents'>>(
    '/api/events',
    async (req, res) => {
      const { caller } = res.locals;
      const criteria = compileCriteria(req.query);
      const filter = eventFilter(context, contents, caller, { criteria });
      await streamEvents(context, req, res, { ...all, ...(filter && { filter }) }, tell);
    },
  );

  router.get<string, { name: string }, unknown, unknown, QueryParameters<'streamMailboxEvents'>>(
    '/api/mailboxes/:name/events',
    async (req, res) => {
      const { caller } = res.locals;
      const { mark, ...criteria } = req.query;
      const mailbox = await requireMailbox(context, caller, req.params.name);
      // A browser resumes with the same URL, whose mark can be that of an earlier version.
      const isResumed = req.get('Last-Event-ID') !== undefined;
      const start =
        mark === undefined || isResumed
          ? undefined
          : {
              mailbox,
              after: await readMark(context, mailbox, mark),
              isGone: () => res.closed,
            };
      const filter = eventFilter(context, contents, caller, {
        criteria: compileCriteria(criteria),
        ...(start && { start }),
      });
      const choice = { ...ofMailbox(mailbox.id), ...(filter && { filter }) };
      await streamEvents(context, req, res, choice, tell);
    },
  );

  return router;
}

function tellWith(fields: EventFieldsReader): Tell {
  return async (event) => {
    const { type, messageId } = event;
    const isNew = type === 'message.received' && messageId !== undefined;
    return { ...sentEvent(event), ...(isNew && (await fields.of(messageId))) };
  };
}

/** Streams events until the client disconnects or loses its permission. */
async function streamEvents(
  context: Streaming,
  req: Pick<Request, 'get'>,
  res: Response,
  choice: Choice,
  tell: Tell,
): Promise<void> {
  const { workspace, token } = res.locals.caller;
  const { hub } = context.events;
  if (hub.count(workspace.id) >= MAX_STREAMS) {
    res.setHeader('Retry-After', BEAT_MS / 1000);
    throw new AppError(
      'rate_limited',
      `Event stream limit reached (${MAX_STREAMS} per workspace and web process). Close a stream first.`,
    );
  }
  const stream = openEventStream(res);
  if (res.locals.headOnly) {
    stream.end();
    return;
  }
  const who = { workspaceId: workspace.id, tokenId: token.id };
  const sending = sendInOrder(stream, choice, tell);
  const limited = within(context, res.locals.caller, choice);
  const listener = listen(stream, limited, { sending, tell }, res);
  const subscription = await hub.subscribe(who, req.get('Last-Event-ID'), listener);
  sending.begin();
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
      if (allowed && sending.isIdle()) stream.beat(subscription.lastId());
    });
  }, BEAT_MS);
  const { eventStreams } = context.metrics.http;
  eventStreams.inc();
  // A later expiry is noticed at a beat.
  const expiry = atTime(context, token.expiresAt, () => {
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
  if (!(await isAllowed())) return;
  const readyId = subscription.lastId();
  sending.add(() => {
    stream.send('ready', {}, readyId);
  });
}

function listen(
  stream: EventStream,
  { wants, isLast, filter, shows }: Choice,
  { sending, tell }: { sending: Sending; tell: Tell },
  res: Response,
): Listener {
  return {
    event({ id, event }) {
      if (!wants(event)) return;
      sending.add(async () => {
        if (filter && !isLast(event) && !(await filter.matches(event))) return;
        if (shows && !(await shows(event))) return;
        stream.send(event.type, await tell(event), id);
        if (isLast(event)) stream.end();
      });
    },
    reset: () => {
      sending.add(() => {
        stream.send('reset', {});
      });
    },
    revoked: () => {
      const { message, code } = tokenRevoked();
      stream.send('closed', { error: message, code, requestId: res.locals.requestId });
      stream.end();
    },
    stopping: stream.end,
  };
}

interface Sending {
  /** To be called after the subscription, so that no message is between it and the mark. */
  begin: () => void;
  /** Runs after all earlier steps. */
  add: (step: () => void | Promise<void>) => void;
  /** Whether all steps are done. */
  isIdle: () => boolean;
}

/** Messages are read for their events, so the events after one that is being read wait for it. */
function sendInOrder(stream: EventStream, { filter }: Choice, tell: Tell): Sending {
  let waiting = 0;
  let begin: () => void = () => undefined;
  let order = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const add: Sending['add'] = (step) => {
    waiting += 1;
    order = order
      .then(step)
      .catch(() => {
        stream.send('reset', {}); // the database is away
      })
      .then(() => {
        waiting -= 1;
      });
  };
  if (filter) {
    add(async () => {
      for await (const events of filter.earlier()) {
        for (const event of events) stream.send(event.type, await tell(event));
      }
    });
  }
  return { begin, add, isIdle: () => waiting === 0 };
}
