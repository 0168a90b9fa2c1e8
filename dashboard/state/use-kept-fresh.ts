import { useEffect } from 'preact/hooks';
import { loadMailboxes } from './mailboxes.ts';

const EVERY_MS = 60_000;

/**
 * Messages expire without an event, so the counts are reloaded periodically while the page is
 * visible.
 */
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
