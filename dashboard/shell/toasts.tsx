import { announcement, dismiss, toasts } from '../state/toasts.ts';
import { IconButton } from '../components/icon-button.tsx';

/** Toasts, and the screen reader announcements of new mail. */
export function Toasts() {
  return (
    <>
      <div class="toasts" role="status" aria-live="polite">
        {toasts.value.map(({ id, text, tone, action }) => (
          <div key={id} class={`toast toast-${tone}`}>
            <span>{text}</span>
            {action && (
              <button type="button" class="toast-action" onClick={action.run}>
                {action.label}
              </button>
            )}
            <IconButton
              icon="close"
              label="Dismiss"
              onClick={() => {
                dismiss(id);
              }}
            />
          </div>
        ))}
      </div>
      <div class="visually-hidden" role="log" aria-live="polite">
        {announcement.value}
      </div>
    </>
  );
}
