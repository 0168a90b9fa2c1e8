import { useEffect } from 'preact/hooks';
import { selectAll } from '../../state/selection.ts';

/** Ctrl+A or Cmd+A selects all messages while the focus is in the list. */
export function useSelectAllKey(): void {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.key !== 'a' || !(event.ctrlKey || event.metaKey)) return;
      if (!document.activeElement?.closest('.message-list, .list-tools')) return;
      event.preventDefault();
      selectAll();
    };
    addEventListener('keydown', press);
    return () => {
      removeEventListener('keydown', press);
    };
  }, []);
}
