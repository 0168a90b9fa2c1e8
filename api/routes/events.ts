import { type Request, type Response, Router } from 'express';
import type { Caller } from '../../core/auth/caller.ts';
import { includes, scopeOf } from '../../core/auth/reach.ts';
import { requireLiveToken, tokenRevoked } from '../../core/auth/transaction-as.ts';
import type { Context } from '../../core/context.ts';
import { AppError } from '../../core/errors.ts';
import type { Listener } from '../../core/events/hub.ts';
import { type LiveEvent, sentEvent } from '../../core/events/event.ts';
import { type OpenRequests, countOpenRequests } from '../../core/limits/open-requests.ts';
import { type EventFieldsReader, openEventFields } from '../../core/messages/event-fields.ts';
import { requireMailbox, findMailbox } from '../../core/mailboxes/mailboxes.ts';
import { readMark } from '../../core/messages/mark.ts';
import { compileCriteria } from '../../core/matching/criteria.ts';
import { type EventFilter, eventFilter } from '../../core/waits/event-filter.ts';
import { atTime } from '../../core/waits/sleep.ts';
import type { WaitServices } from '../../core/waits/wait.ts';
import type { QueryParameters, Shape } from '../contract/contract.ts';
import { type EventStream, openEventStream } from '../http/event-stream.ts';
import { isOver, whenOver } from '../http/request.ts';

type Streaming = Pick<Context, 'metrics' | 'now' | 'store' | 'events' | 'log'>;

const BEAT_MS = 15_000;
const MAX_STREAMS = 100;
/** Live events that wait for a client which still reads earlier ones. */
const MAX_WAITING = 10_000;

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

/** What the streams of a process share. */
interface Shared {
  tell: Tell;
  openStreams: OpenRequests;
}

const tooManyStreams = () =>
  new AppError(
    'rate_limited',
    `Event stream limit reached (${MAX_STREAMS} per workspace and web process). Close a stream first.`,
    { retryAfter: BEAT_MS / 1000 },
  );

/** An event before `ready` has the mark of its message as id, at which a client resumes. */
const MARK_ID = 'mark:';

function markOfId(id: string | undefined): string | undefined {
  return id?.startsWith(MARK_ID) ? id.slice(MARK_ID.length) : undefined;
}

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
  services: Pick<WaitServices, 'documents' | 'feeds'>,
): Router {
  const router = Router();
  const shared: Shared = {
    tell: tellWith(openEventFields(context)),
    openStreams: countOpenRequests(MAX_STREAMS, context.metrics.http.eventStreams, tooManyStreams),
  };

  router.get<string, object, unknown, unknown, QueryParameters<'streamEvents'>>(
    '/api/events',
    async (req, res) => {
      const { caller } = res.locals;
      const criteria = compileCriteria(req.query);
      const filter = eventFilter(context, services, caller, { criteria });
      await streamEvents(context, req, res, { ...all, ...(filter && { filter }) }, shared);
    },
  );

  router.get<string, { name: string }, unknown, unknown, QueryParameters<'streamMailboxEvents'>>(
    '/api/mailboxes/:name/events',
    async (req, res) => {
      const { caller } = res.locals;
      const { mark, ...criteria } = req.query;
      const mailbox = await requireMailbox(context, caller, req.params.name);
      // A browser resumes with the same URL, whose mark can be that of an earlier version.
      const lastId = req.get('Last-Event-ID');
      const from = lastId === undefined ? mark : markOfId(lastId);
      const start =
        from === undefined
          ? undefined
          : {
              mailbox,
              after: await readMark(context, mailbox, from),
              isGone: () => isEnded(req, res),
            };
      const filter = eventFilter(context, services, caller, {
        criteria: compileCriteria(criteria),
        ...(start && { start }),
      });
      const choice = { ...ofMailbox(mailbox.id), ...(filter && { filter }) };
      await streamEvents(context, req, res, choice, shared);
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

/** Whether nothing more reaches the client. */
function isEnded(req: Pick<Request, 'socket'>, res: Response): boolean {
  return res.writableEnded || isOver(req, res);
}

/** Streams events until the client disconnects or loses its permission. */
async function streamEvents(
  context: Streaming,
  req: Pick<Request, 'get' | 'socket'>,
  res: Response,
  choice: Choice,
  { tell, openStreams }: Shared,
): Promise<void> {
  const { workspace, token } = res.locals.caller;
  const leave = openStreams.enter(workspace.id);
  const stream = openEventStream(res);
  if (res.locals.headOnly) {
    stream.end();
    leave();
    return;
  }
  const who = { workspaceId: workspace.id, tokenId: token.id };
  const sending = sendInOrder(stream, choice, tell, () => isEnded(req, res));
  const limited = within(context, res.locals.caller, choice);
  const listener = listen(stream, limited, { sending, tell }, res);
  const lastId = req.get('Last-Event-ID');
  const subscription = await context.events.hub
    .subscribe(who, markOfId(lastId) === undefined ? lastId : undefined, listener)
    .catch((error: unknown) => {
      leave();
      throw error;
    });
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
  // A later expiry is noticed at a beat.
  const expiry = atTime(context, token.expiresAt, () => {
    listener.revoked();
  });
  const end = () => {
    clearInterval(beat);
    clearTimeout(expiry);
    subscription.end();
    // The stream counts until nothing is read for it.
    void sending.ended().then(leave);
  };
  whenOver(req, res, end);
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
  /** Resolves when the steps so far are done; never rejects. */
  ended: () => Promise<void>;
}

/**
 * Messages are read for their events, so the events after one that is being read wait for it. Steps
 * of a client that is gone are left out.
 */
function sendInOrder(
  stream: EventStream,
  { filter }: Choice,
  tell: Tell,
  isGone: () => boolean,
): Sending {
  let waiting = 0;
  let begin: () => void = () => undefined;
  let order = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const add: Sending['add'] = (step) => {
    waiting += 1;
    if (waiting > MAX_WAITING) stream.cut();
    order = order
      .then(() => (isGone() ? undefined : step()))
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
        const told = await Promise.all(
          events.map(async ({ event, mark }) => ({ event, mark, data: await tell(event) })),
        );
        for (const { event, mark, data } of told) {
          stream.send(event.type, data, `${MARK_ID}${mark}`);
          await stream.drained();
        }
      }
    });
  }
  return { begin, add, isIdle: () => waiting === 0, ended: () => order };
}
