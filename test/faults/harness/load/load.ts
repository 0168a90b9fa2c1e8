/** The load on a product during a fault. */
import { eventually } from '../../../support/mocha/eventually.ts';
import { readOverApi, sendOverApi } from './api-load.ts';
import type { Bench } from '../bench.ts';
import type { Ledger } from '../ledger.ts';
import { sendMails } from './smtp-load.ts';

const RECOVERY_MS = 90_000;
const POLL_MS = 50;

export interface Shape {
  connections: number;
  pauseMs: number;
  largeEvery: number;
  /** Mails that must be accepted before a fault, and again after it. */
  around: number;
}

export interface Load {
  /** Resolves when `more` further mails have been accepted. */
  accepted: (more: number) => Promise<void>;
  /**
   * Starts no further requests. {@link answered} resolves when all sends over the API are complete.
   */
  stop: () => Promise<void>;
  answered: Promise<unknown>;
}

export function startLoad(bench: Bench, mailboxes: string[], ledger: Ledger, shape: Shape): Load {
  let over = false;
  const isOver = () => over;
  const { domain } = bench.product();
  const smtp = { ...shape, port: bench.smtpPort, domain, mailboxes };
  const api = { api: bench.api, domain, mailboxes, pauseMs: shape.pauseMs };
  const senders = Array.from({ length: shape.connections }, () => sendMails(smtp, ledger, isOver));
  const reading = readOverApi(api, ledger, isOver);
  const answered = sendOverApi(api, ledger, isOver);
  return {
    accepted: async (more) => {
      const enough = ledger.count('accepted') + more;
      await eventually(
        `${more} more mails to be accepted`,
        () => ledger.count('accepted') >= enough,
        RECOVERY_MS,
        POLL_MS,
      );
    },
    stop: async () => {
      over = true;
      await Promise.all([...senders, reading]);
    },
    answered,
  };
}
