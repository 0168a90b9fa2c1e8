/** What was sent while one fault was in, and what was answered: the oracle's side of the story. */

/** A mailbox and tag that must show one message of a mail. */
export interface Target {
  mailbox: string;
  tag: string | null;
}

/** `unknown`: the connection ended before the answer. */
export type Outcome = 'accepted' | 'refused' | 'unknown';

export interface SentMail {
  marker: string;
  /** The distinct ones among its recipients. */
  targets: Target[];
  /** Of the bytes that were sent; null for mail sent over the API, whose source is composed there. */
  digest: string | null;
  outcome: Outcome;
  /** It has expired, or so it may have. */
  mayBeGone?: boolean;
}

export class Ledger {
  readonly mails: SentMail[] = [];
  /** Where mail may be missing; nothing more is sent there. */
  readonly deletedMailboxes = new Set<string>();
  /** How often an answer other than 250 or 201 was given. */
  readonly refusals = new Map<string, number>();
  #count = 0;

  /** @param name stands in every marker, and so tells whose mail a message is. */
  constructor(readonly name: string) {}

  nextMarker(): string {
    return `${this.name} ${(this.#count += 1)}`;
  }

  add(mail: SentMail): void {
    this.mails.push(mail);
  }

  /** From now on everything sent so far may have expired. */
  expire(): void {
    for (const mail of this.mails) mail.mayBeGone = true;
  }

  refuse(answer: string): void {
    this.refusals.set(answer, (this.refusals.get(answer) ?? 0) + 1);
  }

  count(outcome: Outcome): number {
    return this.mails.filter((mail) => mail.outcome === outcome).length;
  }
}
