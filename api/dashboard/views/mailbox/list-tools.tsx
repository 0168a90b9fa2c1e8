import { useEffect, useRef } from 'preact/hooks';
import { IconButton } from '../../components/icon-button.js';
import type { Message } from '../../rest/shapes.js';
import {
  clearSelection,
  isSelectable,
  selectAll,
  selectFrom,
  selected,
} from '../../state/selection.js';
import { ListActions } from './list-actions.js';
import { SelectionActions } from './selection-actions.js';
import { useSelectAllKey } from './use-select-all-key.js';

/** Selects all listed messages, with actions for the selected ones or for the whole mailbox. */
export function ListTools({ name, listed }: { name: string; listed: readonly Message[] }) {
  const box = useRef<HTMLInputElement>(null);
  const count = selected.value.length;
  selectFrom(listed);
  useEffect(() => {
    isSelectable.value = true;
    return () => {
      isSelectable.value = false;
      clearSelection();
    };
  }, []);
  useEffect(() => {
    if (box.current) box.current.indeterminate = count > 0 && count < listed.length;
  }, [count, listed.length]);
  useSelectAllKey();
  return (
    <div class="list-tools" role="toolbar" aria-label="Messages">
      <input
        ref={box}
        type="checkbox"
        aria-label="Select all"
        title="Select all"
        disabled={listed.length === 0}
        checked={count > 0 && count === listed.length}
        onChange={() => {
          if (count === 0) selectAll();
          else clearSelection();
        }}
      />
      {count > 0 ? (
        <>
          <span class="list-state" role="status">
            {count} selected
          </span>
          <SelectionActions name={name} />
          <IconButton icon="close" label="Clear selection" onClick={clearSelection} />
        </>
      ) : (
        <ListActions name={name} />
      )}
    </div>
  );
}
