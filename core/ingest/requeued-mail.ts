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

/** @param now a monotonic clock in milliseconds. */
export function openRequeuedMail<Mail extends Requeued>(
  { intervalMs, graceMs }: RequeuePace,
  now = () => performance.now(),
): RequeuedMail<Mail> {
  /** In the order of their requeueing, oldest first. */
  const requeued = new Map<string, { mail: Mail; dueAt: number }>();
  const counts = new Map<string, number>();

  const remove = (id: string) => {
    const mail = requeued.get(id)?.mail;
    if (!mail) return;
    requeued.delete(id);
    const left = (counts.get(mail.owner) ?? 0) - 1;
    if (left > 0) counts.set(mail.owner, left);
    else counts.delete(mail.owner);
  };

  /** A job that has not returned by then was taken by another worker. */
  const forgetLost = () => {
    for (const [id, { dueAt }] of requeued) {
      if (now() - dueAt <= graceMs) return;
      remove(id);
    }
  };

  return {
    add(mail) {
      forgetLost();
      remove(mail.id);
      const own = (counts.get(mail.owner) ?? 0) + 1;
      counts.set(mail.owner, own);
      const delayMs = MIN_DELAY_MS + own * counts.size * intervalMs;
      requeued.set(mail.id, { mail, dueAt: now() + delayMs });
      return delayMs;
    },
    find: (id) => requeued.get(id)?.mail,
    remove,
  };
}
