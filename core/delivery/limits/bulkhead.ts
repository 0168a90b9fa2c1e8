/**
 * A bulkhead: a number of places for requests, of which a workspace and a mailbox can use a share
 * each.
 */
export interface Owner {
  webhookId: string;
  mailboxId: string;
  workspaceId: string;
}

/**
 * Shares between 0 and 1 of the places that can be in use before a request is rejected; at least
 * one place.
 */
export interface Parts {
  all: number;
  workspace: number;
  mailbox: number;
}

const ALL = 'all';

export class Bulkhead {
  readonly #capacity: number;
  readonly #taken = new Map<string, number>();

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get taken(): number {
    return this.#taken.get(ALL) ?? 0;
  }

  /** Takes a place if the shares allow it. */
  acquire({ workspaceId, mailboxId }: Owner, { all, workspace, mailbox }: Parts): boolean {
    const isFree =
      this.#isBelow(ALL, all) &&
      this.#isBelow(workspaceId, workspace) &&
      this.#isBelow(mailboxId, mailbox);
    if (isFree) for (const key of [ALL, workspaceId, mailboxId]) this.#add(key, 1);
    return isFree;
  }

  release({ workspaceId, mailboxId }: Owner): void {
    for (const key of [ALL, workspaceId, mailboxId]) this.#add(key, -1);
  }

  #isBelow(key: string, part: number): boolean {
    return (this.#taken.get(key) ?? 0) < Math.max(1, Math.floor(this.#capacity * part));
  }

  #add(key: string, change: number): void {
    const taken = (this.#taken.get(key) ?? 0) + change;
    if (taken > 0) this.#taken.set(key, taken);
    else this.#taken.delete(key);
  }
}
