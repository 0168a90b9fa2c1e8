import { useEffect } from 'preact/hooks';
import { visibleText } from '../../format/visible-text.ts';
import { watchArrivals } from '../../state/inbox.ts';
import { clearArrivals } from '../../state/mailboxes.ts';
import { announce } from '../../state/toasts.ts';

/**
 * Shows a toast for new mail while the page is hidden or the mailbox is not in view, and clears the
 * new marks on return. @param name null for all mailboxes
 */
export function useArrivals(name: string | null): void {
  useEffect(() => {
    watchArrivals(([first, ...others]) => {
      if (!first) return;
      const more = others.length > 0 ? ` and ${others.length} more` : '';
      announce(
        `New mail from ${visibleText(first.fromName ?? first.from)}: ${visibleText(first.subject)}${more}`,
      );
    });
    const look = () => {
      if (name !== null && !document.hidden) clearArrivals(name);
    };
    look();
    document.addEventListener('visibilitychange', look);
    return () => {
      document.removeEventListener('visibilitychange', look);
      watchArrivals(() => undefined);
    };
  }, [name]);
}
