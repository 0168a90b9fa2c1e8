import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { useAction } from '../state/requests.ts';
import { Button, IconButton } from './button.tsx';
import { ErrorText } from './form.tsx';

/** A modal dialog. The browser traps the focus and restores it on close. */
export function Dialog({
  title,
  onClose,
  children,
}: {
  title: string;
  onClose: () => void;
  children: ComponentChildren;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useId();
  useEffect(() => {
    const opened = dialog.current;
    opened?.showModal();
    return () => {
      opened?.close();
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      class="dialog"
      aria-labelledby={heading}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => {
        if (event.target === dialog.current) onClose();
      }}
    >
      <div class="dialog-body">
        <header class="dialog-head">
          <h2 id={heading}>{title}</h2>
          <IconButton icon="close" label="Close" onClick={onClose} />
        </header>
        {children}
      </div>
    </dialog>
  );
}

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
