/**
 * Publishes events after the commit that caused them. Publishing never fails or blocks: events of
 * one event loop turn are sent to Redis together, and events that Redis does not accept are
 * dropped.
 */
import { errorText } from '../errors.ts';
import type { EventHistory } from './history.ts';
import type { LiveEvent } from './event.ts';
import type { Logger } from '../log.ts';

export interface EventPublisher {
  /** Takes the event and returns at once. */
  publish: (workspaceId: string, event: LiveEvent) => void;
  /** Resolves when all accepted events are flushed. Later events are dropped. */
  close: () => Promise<void>;
}

export function openEventPublisher(history: EventHistory, log: Logger): EventPublisher {
  const gathered = new Map<string, LiveEvent[]>();
  const flushing = new Set<Promise<void>>();
  let isClosed = false;
  let lastFault = '';

  const flush = async () => {
    const groups = [...gathered];
    gathered.clear();
    const results = await Promise.allSettled(groups.map(([id, events]) => history.add(id, events)));
    const failed = results.find(({ status }) => status === 'rejected');
    const fault = failed?.status === 'rejected' ? errorText(failed.reason) : '';
    if (fault !== '' && fault !== lastFault) log.warn('event publish failed', { fault });
    lastFault = fault;
  };

  return {
    publish(workspaceId, event) {
      if (isClosed) return; // for work that outlasted the shutdown deadline
      const group = gathered.get(workspaceId);
      if (group) group.push(event);
      else gathered.set(workspaceId, [event]);
      if (gathered.size > 1 || group) return;
      // Events of one group commit arrive in one turn of the event loop.
      const flushed = new Promise((resolve) => setImmediate(resolve)).then(flush);
      flushing.add(flushed);
      void flushed.then(() => flushing.delete(flushed));
    },
    async close() {
      isClosed = true;
      await Promise.all(flushing);
    },
  };
}
