/**
 * Work is counted by what accepted mail makes of it: its bytes, and a row for each message. The
 * load of a workspace is that of its mail that waits to be stored. The larger it is, the later
 * further mail of this workspace is served, so that a flood delays others by the work in progress
 * only.
 */
import type { MailRecipient, MessageToStore } from './accepted-mail.ts';

/** Load by workspace id. */
export type Loads = Readonly<Record<string, number>>;

/**
 * Load of a row, about: storing 1,000 messages of one mail takes as long as parsing and storing 20
 * mails of 50 KB.
 */
const ROW_LOAD = 1024;

/** Load within which the order of arrival decides. */
const FIRST_STEP = 2048;

/** The load of a mail: its bytes and its rows. A caught message has one row more a recipient. */
export function loadOf({ size, messages }: { size: number; messages: MessageToStore[] }): number {
  const rows = messages.reduce((sum, { envelopeTo = [] }) => sum + 1 + envelopeTo.length, 0);
  return size + rows * ROW_LOAD;
}

/** The load of a mail in each workspace of its recipients. The bytes count in each of them. */
export function loadsOf(
  { size, messages }: { size: number; messages: MessageToStore[] },
  recipients: readonly (MailRecipient & { workspaceId: string })[],
): Loads {
  const workspaces = new Map(recipients.map((each) => [each.mailboxId, each.workspaceId]));
  const loads: Record<string, number> = {};
  for (const message of messages) {
    const id = workspaces.get(message.mailboxId) ?? message.mailboxId;
    loads[id] = (loads[id] ?? size) + loadOf({ size: 0, messages: [message] });
  }
  return loads;
}

const KNOWN_MS = 1000;
/** Number of workspaces whose load is kept. */
const MAX_KNOWN = 10_000;

/**
 * The loads that Redis has told this process within the last second, and 0 for other workspaces. A
 * process that writes much mail of a workspace knows its load; the priority of one mail of another
 * does not need to be exact.
 */
export function openKnownLoads() {
  const known = new Map<string, { load: number; at: number }>();
  return {
    /** @param pairs workspace id and load in turn */
    note(pairs: (string | number)[]): void {
      if (known.size > MAX_KNOWN) known.clear();
      for (let at = 0; at < pairs.length; at += 2) {
        known.set(String(pairs[at]), { load: Number(pairs[at + 1]), at: performance.now() });
      }
    },
    /** The load of a workspace, whatever its age; 0 if none is known. */
    last: (workspaceId: string) => known.get(workspaceId)?.load ?? 0,
    /** The largest load of these workspaces once these loads are added. */
    largest(loads: Loads): number {
      const since = performance.now() - KNOWN_MS;
      return Object.entries(loads).reduce((largest, [id, added]) => {
        const last = known.get(id);
        return Math.max(largest, added + (last && last.at > since ? last.load : 0));
      }, 0);
    },
  };
}

/**
 * The priority of a job in its queue, where a lower number is served first: one more for each
 * doubling of the load. The 53 bits of a load make at most 43, of the 2,097,151 that BullMQ takes.
 * 0 would be no priority, and a job without one is served before all others.
 */
export function priorityAt(load: number): number {
  return 1 + Math.floor(Math.log2(Math.max(1, load / FIRST_STEP)));
}

/**
 * The priority of a job that an older version has written without one: that of much mail of a
 * workspace.
 */
export const PRIORITY_OF_OLD_MAIL = priorityAt(1024 * 1024);
