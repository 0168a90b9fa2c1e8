import type { RefObject } from 'preact';
import { useRef } from 'preact/hooks';
import type { Message } from '../../rest/shapes.ts';
import { go } from '../../routing/routes.ts';
import { useShortcuts } from '../../state/shortcuts.ts';

/**
 * List keys: j, k and arrows. While a message is open they open the next one; otherwise they move
 * the focus, and Enter opens the focused row. Attach the ref to the list.
 */
export function useListKeys(
  hrefOf: (message: Message) => string,
  messages: Message[],
  openId: string | null,
): RefObject<HTMLUListElement | null> {
  const list = useRef<HTMLUListElement>(null);
  const row = (id: string) =>
    list.current?.querySelector<HTMLElement>(`[data-id="${CSS.escape(id)}"]`);
  const focusedId = () =>
    document.activeElement instanceof HTMLElement
      ? document.activeElement.dataset['id']
      : undefined;

  const move = (by: number) => {
    const from = openId ?? focusedId();
    const at = messages.findIndex(({ id }) => id === from);
    const next = messages[at < 0 ? 0 : at + by];
    if (!next) return;
    row(next.id)?.focus();
    row(next.id)?.scrollIntoView({ block: 'nearest' });
    if (openId !== null) go(hrefOf(next), { replace: true });
  };
  /** Arrow keys keep scrolling inside scrollable elements. */
  const arrow = (by: number) => {
    const { activeElement } = document;
    const isElsewhere = activeElement?.matches('body, main') !== true;
    if (!isElsewhere || list.current?.contains(activeElement)) move(by);
  };
  useShortcuts({
    j: () => {
      move(1);
    },
    k: () => {
      move(-1);
    },
    ArrowDown: () => {
      arrow(1);
    },
    ArrowUp: () => {
      arrow(-1);
    },
  });
  return list;
}
