import type { ComponentChildren } from 'preact';
import { useAction } from '../state/use-action.ts';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { ErrorText } from './error-text.tsx';

/** Asks for confirmation of an irreversible action. Stays open if the action fails. */
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
  /** Label of the confirm button. */
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
