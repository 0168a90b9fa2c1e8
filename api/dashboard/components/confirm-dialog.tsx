import type { ComponentChildren } from 'preact';
import { useAction } from '../state/use-action.js';
import { Button } from './button.js';
import { Dialog } from './dialog.js';
import { ErrorText } from './error-text.js';

/** Asks before something is done that cannot be undone; stays open while it fails. */
export function ConfirmDialog({
  title,
  children,
  confirm,
  onConfirm,
  onClose,
  tone = 'danger',
}: {
  title: string;
  children: ComponentChildren;
  /** The words on the button: what is going to be done. */
  confirm: string;
  onConfirm: () => Promise<unknown>;
  onClose: () => void;
  tone?: 'danger' | 'main';
}) {
  const { run, isBusy, error } = useAction(async () => {
    await onConfirm();
    onClose();
  });
  return (
    <Dialog title={title} onClose={onClose}>
      <div class="prose">{children}</div>
      <ErrorText error={error} />
      <footer class="dialog-foot">
        <Button onClick={onClose}>Cancel</Button>
        <Button tone={tone} busy={isBusy} autofocus onClick={() => void run()}>
          {confirm}
        </Button>
      </footer>
    </Dialog>
  );
}
