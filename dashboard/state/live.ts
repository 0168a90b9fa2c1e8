/** The event stream: opened on sign-in and reopened after failures. */
import { effect, signal } from '@preact/signals';
import { parseErrorBody } from '../rest/api-error.ts';
import type { LiveEvent } from '../rest/shapes.ts';
import { applyEvent, forgetAll, loadAgain } from './apply-event.ts';
import { expectStream, markStreamReady } from './stream-ready.ts';
import { endWithReason, loadSession, session } from './session.ts';

const EVENTS = [
  'message.received',
  'message.deleted',
  'mailbox.created',
  'mailbox.deleted',
  'mailbox.cleared',
  'webhook.paused',
] as const satisfies LiveEvent['type'][];

const RETRY_MS = [1000, 2000, 5000, 10_000, 30_000];
const REMEMBERED = 500;

export const connection = signal<'connecting' | 'live' | 'away'>('connecting');

let source: EventSource | null = null;
let failures = 0;
let retry: ReturnType<typeof setTimeout> | undefined;
/** Events may repeat; they are deduplicated by id. */
const seen = new Set<string>();

function open(): void {
  close();
  expectStream();
  const stream = new EventSource('/api/events');
  source = stream;
  let began = false;
  stream.addEventListener('ready', () => {
    connection.value = 'live';
    const early = markStreamReady();
    // A new stream does not replay earlier events. A stream that the browser reconnected does.
    if (!began && (early || failures > 0)) loadAgain();
    began = true;
    failures = 0;
  });
  stream.addEventListener('reset', loadAgain);
  stream.addEventListener('closed', (event) => {
    close();
    const body = parseErrorBody(event.data as string);
    endWithReason(`You are signed out: ${body?.error ?? 'the session has ended.'}`);
  });
  for (const type of EVENTS) stream.addEventListener(type, receive);
  stream.onerror = () => {
    connection.value = 'away';
    if (stream.readyState === EventSource.CLOSED) reopenLater();
  };
}

function receive(event: MessageEvent<string>): void {
  if (event.lastEventId && seen.has(event.lastEventId)) return;
  seen.add(event.lastEventId);
  const [oldest] = seen;
  if (seen.size > REMEMBERED && oldest !== undefined) seen.delete(oldest);
  applyEvent(JSON.parse(event.data) as LiveEvent);
}

/** EventSource does not report why it closed. Requesting the session detects a 401. */
function reopenLater(): void {
  const delay = RETRY_MS[Math.min(failures, RETRY_MS.length - 1)];
  failures += 1;
  clearTimeout(retry);
  retry = setTimeout(() => {
    void loadSession().then(() => {
      if (session.peek()) open();
    });
  }, delay);
}

function close(): void {
  clearTimeout(retry);
  source?.close();
  source = null;
}

/** Keeps the event stream open while a user is signed in. */
export function listen(): void {
  let tokenId: string | null = null;
  effect(() => {
    const current = session.value?.token.id ?? null;
    if (current === tokenId) return;
    tokenId = current;
    failures = 0;
    connection.value = 'connecting';
    if (current) open();
    else {
      close();
      forgetAll();
    }
  });
}
