import { now } from '../connection/clock.ts';
import { bodyOf, type Connection } from '../connection/api.ts';
import { type Unanswered, unansweredOf } from '../connection/retrying-fetch.ts';
import { type TextCriteria, queryOf, refusePatterns } from './criteria.ts';
import { factsOf } from './facts.ts';
import { timeoutOf } from './find.ts';
import { REQUEST_SECONDS, RESPONSE_MS, limitsOf, secondsUntil } from './limits.ts';
import type { Place } from './search.ts';
import type { ClaimData, ClaimMatch } from '../connection/bodies.ts';
import type { Message } from '../types.ts';

export interface ClaimOptions extends TextCriteria {
  /** Seconds to wait for a free message. @default 25, or less if the test ends before */
  timeout?: number;
  /**
   * Seconds after which the message is free again; without it, it is claimed for good. 5 to 3,600.
   */
  lease?: number;
  /** A name that the claim shows. */
  owner?: string;
  signal?: AbortSignal;
}

/** A message that no other client claims meanwhile. */
export interface Claim {
  readonly id: string;
  readonly message: Message;
  readonly owner: string | null;
  /** The end of the lease; null for a claim for good. */
  readonly expiresAt: Date | null;
  /** Makes the message free for other clients. */
  release: () => Promise<void>;
  /** Sets the end of the lease to so many seconds from now; null keeps the message for good. */
  extend: (lease: number | null) => Promise<Claim>;
}

/**
 * Claims the oldest free message that matches, or waits for one.
 * @throws {MayflyTimeout} when there is none in time.
 * @throws {TypeError} for a pattern: it can only be tested after the claim.
 * @internal
 */
export async function claimMessage(
  place: Place & { name: string },
  { timeout = 25, lease, owner, signal, ...criteria }: ClaimOptions,
): Promise<Claim> {
  const { connection, name } = place;
  const began = now();
  const { mark, ...query } = queryOf(criteria);
  const match: ClaimMatch = query;
  refusePatterns('A claim', criteria);
  const limits = limitsOf(timeout, 'timeout');
  for (;;) {
    let unanswered: Unanswered | undefined;
    const answer = await connection.api
      .POST('/api/mailboxes/{name}/messages/claim', {
        params: { path: { name } },
        body: {
          match,
          timeout: Math.min(secondsUntil(limits.until), REQUEST_SECONDS),
          mark: mark ?? null,
          owner: owner ?? null,
          expiresIn: lease ?? null,
        },
        signal: signal ?? null,
        fetch: connection.fetchUntil(limits.giveUpAt, RESPONSE_MS),
      })
      .then(bodyOf)
      .catch((error: unknown) => void (unanswered = unansweredOf(error)));
    const message = answer?.messages[0];
    const claim = answer?.claims[0];
    // A repeated request returns its claim without a message that was deleted meanwhile.
    if (claim && message) return held(connection, name, message, claim);
    if (unanswered || now() >= limits.until) {
      const missed = { nearest: [], unmatched: null, waitedMs: now() - began };
      const looked = { criteria, what: 'free message', limits, unanswered, facts: factsOf(place) };
      throw await timeoutOf(place, looked, missed);
    }
  }
}

function held(
  connection: Connection,
  mailbox: string,
  message: Message,
  { id, owner, expiresAt }: ClaimData,
): Claim {
  const path = { name: mailbox, id: message.id };
  const resource = '/api/mailboxes/{name}/messages/{id}/claim';
  return {
    id,
    message,
    owner,
    expiresAt: expiresAt === null ? null : new Date(expiresAt),
    release: async () => {
      await connection.api.DELETE(resource, { params: { path, query: { claimId: id } } });
    },
    extend: async (lease) => {
      const body = { claimId: id, expiresIn: lease };
      const changed = await connection.api.PUT(resource, { params: { path }, body });
      return held(connection, mailbox, message, bodyOf(changed));
    },
  };
}
