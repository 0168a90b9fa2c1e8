import { visibleText } from '../../format/visible-text.ts';
import type { Message } from '../../rest/shapes.ts';
import { isSelected, selectRange, toggleSelected } from '../../state/selection.ts';

/** Selects a message of the list. Shift selects a range. */
export function SelectBox({ message }: { message: Message }) {
  const { id, subject } = message;
  return (
    <label class="select-box">
      <input
        type="checkbox"
        checked={isSelected(id)}
        aria-label={`Select ${visibleText(subject) || 'the message without subject'}`}
        onClick={(event) => {
          if (event.shiftKey) selectRange(id);
          else toggleSelected(id);
          // The state decides, also when it does not change.
          event.currentTarget.checked = isSelected(id);
        }}
      />
    </label>
  );
}

/** Selects instead of opening, for a click with Shift, Ctrl or Cmd. */
export function selectByClick(event: MouseEvent, id: string): void {
  if (event.altKey) return;
  if (event.shiftKey) selectRange(id);
  else if (event.ctrlKey || event.metaKey) toggleSelected(id);
  else return;
  event.preventDefault();
}
