import { Dialog } from '../components/dialog.tsx';
import { shortcutsOn } from '../state/shortcuts.ts';

const shortcuts: [keys: string[], action: string][] = [
  [['j', '↓'], 'Next message'],
  [['k', '↑'], 'Previous message'],
  [['Enter'], 'Open the message'],
  [['Esc', 'u'], 'Back to the list'],
  [['x'], 'Delete the open message'],
  [['m'], 'Mark the open message unread'],
  [['Ctrl A'], 'Select all messages of the list'],
  [['Del'], 'Delete the selected messages'],
  [['/'], 'Search'],
  [['c'], 'Compose, or copy the code of the open message'],
  [['y'], 'Copy the address'],
  [['s'], 'Share the mailbox or the open message'],
  [['n'], 'New mailbox'],
  [['?'], 'Show this help'],
];

export function Help({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose}>
      <dl class="shortcuts">
        {shortcuts.map(([keys, action]) => (
          <div key={action}>
            <dt>
              {keys.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{action}</dd>
          </div>
        ))}
      </dl>
      <label class="check">
        <input
          type="checkbox"
          checked={shortcutsOn.value}
          onChange={(event) => {
            shortcutsOn.value = event.currentTarget.checked;
          }}
        />
        Enable single-key shortcuts
      </label>
    </Dialog>
  );
}
