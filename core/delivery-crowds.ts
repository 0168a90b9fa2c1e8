/**
 * Those who find no place: the first of them wait, the others have a line. Each workspace has one of its own
 * for each kind of call, so that new receivers do not queue behind dead ones.
 */
import type { Trust, Waiting } from './delivery-lane.js';
import type { Line } from './park-line.js';

export interface Crowd {
  readonly line: Line;
  readonly waiting: Waiting;
}

export interface DeliveryCrowds {
  join: (workspaceId: string, kind: Trust) => Crowd;
  /** Who waits for a place in a workspace; those first whose calls are short. */
  waitingIn: (workspaceId: string) => Waiting[];
  /** How many crowds are remembered. */
  readonly size: number;
}

const KINDS: readonly Trust[] = ['proven', 'trial', 'troubled'];

/** @param now a clock in milliseconds that never goes back. */
export function openDeliveryCrowds(now: () => number): DeliveryCrowds {
  const crowds = new Map<string, Crowd>();

  const forgetDispersed = () => {
    for (const [key, { line, waiting }] of crowds) {
      if (waiting.size === 0 && line.endsAt <= now()) crowds.delete(key);
    }
  };

  return {
    join(workspaceId, kind) {
      const key = keyOf(workspaceId, kind);
      let crowd = crowds.get(key);
      if (!crowd) {
        forgetDispersed();
        crowd = { line: { endsAt: 0 }, waiting: new Map() };
        crowds.set(key, crowd);
      }
      return crowd;
    },
    waitingIn: (workspaceId) =>
      KINDS.flatMap((kind) => crowds.get(keyOf(workspaceId, kind))?.waiting ?? []),
    get size() {
      return crowds.size;
    },
  };
}

function keyOf(workspaceId: string, kind: Trust): string {
  return `${kind} ${workspaceId}`;
}
