/**
 * Mail whose job is delayed because its workspace has used up its slots, and the delay of each.
 * Jobs of all workspaces return at the same rate, so much delayed mail of one workspace does not
 * delay others.
 */
export interface Requeued {
  readonly id: string;
  readonly owner: string;
}

export interface RequeuedMail<Mail extends Requeued> {
  /** Returns the milliseconds until the job runs again. */
  add: (mail: Mail) => number;
  /** The mail with this id, if its job has not run again yet. */
  find: (id: string) => Mail | undefined;
  /** Called when the job runs again. */
  remove: (id: string) => void;
}

const MIN_DELAY_MS = 200;

export interface RequeuePace {
  /**
   * Milliseconds between two returning jobs, over all workspaces. The delay grows with the number
   * of jobs without limit; with a limit, many requeued mails of one workspace would keep the worker
   * busy with futile runs.
   */
  intervalMs: number;
  /** Milliseconds after its due time within which a job must run again. */
  graceMs: number;
}

interface Owner {
  count: number;
  /** Earliest due time of its next mail. */
  nextAt: number;
}

/** @param now a monotonic clock in milliseconds. */
export function openRequeuedMail<Mail extends Requeued>(
  { intervalMs, graceMs }: RequeuePace,
  now = () => performance.now(),
): RequeuedMail<Mail> {
  /** In the order of their requeueing, oldest first. */
  const requeued = new Map<string, { mail: Mail; dueAt: number }>();
  const owners = new Map<string, Owner>();

  const remove = (id: string) => {
    const mail = requeued.get(id)?.mail;
    if (!mail) return;
    requeued.delete(id);
    const owner = owners.get(mail.owner);
    if (!owner) return;
    owner.count -= 1;
    if (owner.count === 0) owners.delete(mail.owner);
  };

  /** A job that has not returned by then was taken by another worker. */
  const forgetLost = () => {
    for (const [id, { dueAt }] of requeued) {
      if (now() - dueAt <= graceMs) return;
      remove(id);
    }
  };

  /**
   * Due times follow each other, so jobs that return together, as after a busy second, are apart
   * the next time. With a delay of the same length for each they would stay together, and all but a
   * few would find no slot each time.
   */
  const nextDue = (owner: Owner, at: number): number => {
    const dueAt = Math.max(at + MIN_DELAY_MS, owner.nextAt);
    owner.nextAt = dueAt + owners.size * intervalMs;
    return dueAt;
  };

  return {
    add(mail) {
      forgetLost();
      remove(mail.id);
      const owner = owners.get(mail.owner) ?? { count: 0, nextAt: 0 };
      owners.set(mail.owner, owner);
      owner.count += 1;
      const at = now();
      const dueAt = nextDue(owner, at);
      requeued.set(mail.id, { mail, dueAt });
      return Math.ceil(dueAt - at);
    },
    find: (id) => requeued.get(id)?.mail,
    remove,
  };
}
