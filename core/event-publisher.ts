/**
 * Tells what happened, after the commit that made it so. Telling never fails and holds nobody up: who follows
 * is told of a moment together, and an event that Redis could not take is one that nobody heard.
 */
import { errorText } from './errors.js';
import type { EventHistory } from './event-history.js';
import type { LiveEvent } from './live-event.js';
import type { Logger } from './log.js';

export interface EventPublisher {
  /** Takes the event and returns at once. */
  publish: (workspaceId: string, event: LiveEvent) => void;
  /** Resolves when what was taken has been told. */
  settle: () => Promise<void>;
}

export function openEventPublisher(history: EventHistory, log: Logger): EventPublisher {
  const gathered = new Map<string, LiveEvent[]>();
  let telling: Promise<void> = Promise.resolve();
  let lastFault = '';

  const tell = async () => {
    const groups = [...gathered];
    gathered.clear();
    const told = await Promise.allSettled(groups.map(([id, events]) => history.add(id, events)));
    const failed = told.find(({ status }) => status === 'rejected');
    const fault = failed?.status === 'rejected' ? errorText(failed.reason) : '';
    if (fault !== '' && fault !== lastFault) log.warn('live events not told', { fault });
    lastFault = fault;
  };

  return {
    publish(workspaceId, event) {
      const group = gathered.get(workspaceId);
      if (group) group.push(event);
      else gathered.set(workspaceId, [event]);
      if (gathered.size > 1 || group) return;
      // Those of one group commit come in one turn of the event loop.
      telling = new Promise((resolve) => setImmediate(resolve)).then(tell);
    },
    settle: () => telling,
  };
}
