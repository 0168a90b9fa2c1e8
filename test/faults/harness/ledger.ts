/** What was sent during one fault, and the replies. The oracle compares it with what is stored. */

/** A mailbox and tag that must show one message of a mail. */
export interface Target {
  mailbox: string;
  tag: string | null;
}

/** `unknown`: the connection ended before the answer. */
export type Outcome = 'accepted' | 'refused' | 'unknown';

export interface SentMail {
  marker: string;
  /** Its distinct recipients. */
  targets: Target[];
  /** Digest of the bytes; null for mail sent over the API, which composes the source. */
  digest: string | null;
  outcome: Outcome;
  /** It can have expired. */
  mayBeGone?: boolean;
}

export class Ledger {
  readonly mails: SentMail[] = [];
  /** Mailboxes that get no further mail, and whose mail can be missing. */
  readonly deletedMailboxes = new Set<string>();
  /** Counts of replies other than 250 and 201. */
  readonly refusals = new Map<string, number>();
  #count = 0;

  /** Part of every marker; identifies the fault. */
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }

  nextMarker(): string {
    return `${this.name} ${(this.#count += 1)}`;
  }

  add(mail: SentMail): void {
    this.mails.push(mail);
  }

  /** Marks everything sent so far as possibly expired. */
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
