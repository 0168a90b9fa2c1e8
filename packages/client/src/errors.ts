import type { ErrorBody } from './connection/bodies.ts';
import type { Message, NearMiss } from './types.ts';

/** An error response of the service, or its absence after all attempts. */
export class MayflyError extends Error {
  override name = 'MayflyError';
  /** HTTP status; 0 without a response. */
  readonly status: number;
  /**
   * Code of the service, such as `not_found`; `unavailable` without a response; `unsupported` by an
   * older service; `not_json` and `not_a_stream` when something else answered.
   */
  readonly code: string;
  readonly requestId: string | null;
  readonly details: unknown;

  /** @internal */
  constructor(status: number, body: Partial<ErrorBody>, options?: ErrorOptions) {
    super(body.error ?? `The service answered with status ${status}.`, options);
    this.status = status;
    this.code = body.code ?? 'unknown';
    this.requestId = body.requestId ?? null;
    this.details = body.details;
  }
}

/**
 * No message matches the criteria in time. The message of the error names the criteria and the
 * nearest misses.
 */
export class MayflyTimeout extends Error {
  override name = 'MayflyTimeout';
  /** Up to five messages that failed the fewest criteria. */
  readonly nearest: NearMiss[];
  /** Number of messages that were considered, at least; null for a claim, which names none. */
  readonly unmatched: number | null;
  readonly waitedMs: number;

  readonly mailbox: string;
  /** What was waited for, as text. */
  readonly criteria: string;

  /** @internal */
  constructor(
    mailbox: string,
    criteria: string,
    { nearest, unmatched, waitedMs }: Pick<MayflyTimeout, 'nearest' | 'unmatched' | 'waitedMs'>,
  ) {
    super(
      [
        `No ${criteria} in mailbox "${mailbox}" within ${(waitedMs / 1000).toFixed(1)} s.`,
        ...explain(unmatched, nearest),
      ].join('\n'),
    );
    this.mailbox = mailbox;
    this.criteria = criteria;
    this.nearest = nearest;
    this.unmatched = unmatched;
    this.waitedMs = waitedMs;
  }
}

/** A message that must not arrive is there. */
export class MayflyUnexpectedMessage extends Error {
  override name = 'MayflyUnexpectedMessage';

  readonly received: Message;

  /** @internal */
  constructor(mailbox: string, criteria: string, received: Message) {
    super(
      `Expected no ${criteria} in mailbox "${mailbox}", but ${received.id} ` +
        `${JSON.stringify(received.subject)} from ${received.from} is there.`,
    );
    this.received = received;
  }
}

function explain(unmatched: number | null, nearest: NearMiss[]): string[] {
  if (unmatched === null) return [];
  if (unmatched === 0) return ['No message was considered.'];
  return [
    `${unmatched} other message${unmatched === 1 ? '' : 's'} considered. The nearest:`,
    ...nearest.map(
      ({ messageId, subject, failed }) =>
        `  ${messageId} ${JSON.stringify(subject)} fails: ${failed.join(', ')}`,
    ),
  ];
}
