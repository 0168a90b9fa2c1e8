/**
 * Mail whose job is delayed because its workspace holds all the places it may, and the delay of each. The jobs of all
 * workspaces return equally often, so a workspace with much delayed mail does not make others wait longer.
 */
export interface Requeued {
  readonly id: string;
  readonly owner: string;
}

export interface RequeuedMail<Mail extends Requeued> {
  /** Returns the milliseconds until the job runs again. */
  add: (mail: Mail) => number;
  /** The mail under this id whose job has not run again yet. */
  find: (id: string) => Mail | undefined;
  /** To be called when the job runs again. */
  remove: (id: string) => void;
}

const MIN_DELAY_MS = 200;

export interface RequeuePace {
  /**
   * Milliseconds between two jobs that run again, of all workspaces together. The delay grows with the number of jobs
   * and has no bound: with one, much requeued mail of a single workspace keeps the worker busy with runs in vain.
   */
  intervalMs: number;
  /** How long after its time a job may run again, in milliseconds. */
  graceMs: number;
}

/** @param now a monotonic clock in milliseconds. */
export function openRequeuedMail<Mail extends Requeued>(
  { intervalMs, graceMs }: RequeuePace,
  now = () => performance.now(),
): RequeuedMail<Mail> {
  /** The mail that waits longest comes first. */
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
