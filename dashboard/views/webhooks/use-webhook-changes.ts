import { useEffect, useRef } from 'preact/hooks';
import { coalesce, refreshGap } from '../../rest/rate-limit.ts';
import { webhookChanges } from '../../state/apply-event.ts';

/** Within this delay most first attempts are complete. */
const SETTLE_MS = 1000;

/** Reloads after new mail, or after a webhook of the mailbox was paused. */
export function useWebhookChanges(name: string, reload: () => void): void {
  const latest = useRef(reload);
  latest.current = reload;
  useEffect(() => {
    let isShown = true;
    const soon = coalesce(
      async () => {
        await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
        if (isShown) latest.current();
      },
      () => 3 * refreshGap(),
    );
    let before = webhookChanges.peek().count;
    const stop = webhookChanges.subscribe(({ mailbox, count }) => {
      if (count !== before && mailbox === name) soon();
      before = count;
    });
    return () => {
      isShown = false;
      stop();
    };
  }, [name]);
}
