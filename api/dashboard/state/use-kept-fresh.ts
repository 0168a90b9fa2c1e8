import { useEffect } from 'preact/hooks';
import { loadMailboxes } from './mailboxes.js';

const EVERY_MS = 60_000;

/** Messages expire without an event: now and then the counts are asked for again, while somebody looks. */
export function useKeptFresh(): void {
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden) void loadMailboxes();
    }, EVERY_MS);
    return () => {
      clearInterval(timer);
    };
  }, []);
}
