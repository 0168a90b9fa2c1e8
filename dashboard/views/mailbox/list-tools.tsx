import { useEffect, useRef } from 'preact/hooks';
import { IconButton } from '../../components/button.tsx';
import type { Message } from '../../rest/shapes.ts';
import { to } from '../../routing/routes.ts';
import { mailboxes } from '../../state/mailboxes.ts';
import { clearSelection, selectAll, selectFrom, selected } from '../../state/selection.ts';
import { ListActions } from './list-actions.tsx';
import { SelectionActions } from './selection-actions.tsx';
import { UnreadState } from './unread-state.tsx';
import { useSelectAllKey } from './use-select-all-key.ts';

/**
 * Selects all listed messages, with actions for the selected ones or for the whole mailbox.
 * @param name the mailbox; null for all mailboxes
 */
export function ListTools({ name, listed }: { name: string | null; listed: readonly Message[] }) {
  const box = useRef<HTMLInputElement>(null);
  const count = selected.value.length;
  selectFrom(listed);
  useEffect(() => clearSelection, []);
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
          <SelectionActions list={name === null ? to.all() : to.mailbox(name)} />
          <IconButton icon="close" label="Clear selection" onClick={clearSelection} />
        </>
      ) : name === null ? (
        mailboxes.value && <UnreadState of={mailboxes.value} />
      ) : (
        <ListActions name={name} />
      )}
    </div>
  );
}
