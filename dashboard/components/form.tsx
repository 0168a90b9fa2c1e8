import type { ComponentChildren, InputHTMLAttributes } from 'preact';
import { useState } from 'preact/hooks';
import type { ApiError } from '../rest/api-error.ts';
import { useAction } from '../state/requests.ts';
import { Button } from './button.tsx';
import { Icon } from './icon.tsx';

/** A form field: label, control and help text. `id` is the id of the control. */
export function Field({
  id,
  label,
  help,
  children,
}: {
  id: string;
  label: string;
  help?: ComponentChildren;
  children: ComponentChildren;
}) {
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children}
      {help !== undefined && (
        <p class="field-help" id={`${id}-help`}>
          {help}
        </p>
      )}
    </div>
  );
}

/** An inline error message with an optional hint. Empty if `error` is null. */
export function ErrorText({
  error,
  children,
}: {
  error: ApiError | null;
  children?: ComponentChildren;
}) {
  return (
    <div role="alert">
      {error && (
        <p class="error-text">
          <Icon name="alert" />
          <span>
            {error.message} {children}
          </span>
        </p>
      )}
    </div>
  );
}

/**
 * A form of one field, and options below it, that adds something. The field is emptied after
 * success.
 */
export function AddForm({
  id,
  label,
  action,
  input,
  onAdd,
  children,
}: {
  id: string;
  label: string;
  /** The text of the button. */
  action: string;
  input: InputHTMLAttributes;
  /** Receives the value without whitespace around it. */
  onAdd: (value: string) => Promise<void>;
  children?: ComponentChildren;
}) {
  const [value, setValue] = useState('');
  const { run, isBusy, error } = useAction(async () => {
    await onAdd(value.trim());
    setValue('');
  });
  return (
    <form
      class="card"
      onSubmit={(event) => {
        event.preventDefault();
        void run();
      }}
    >
      <Field id={id} label={label}>
        <div class="joined">
          <input
            {...input}
            id={id}
            required
            value={value}
            onInput={(event) => {
              setValue(event.currentTarget.value);
            }}
          />
          <Button type="submit" tone="main" icon="plus" busy={isBusy}>
            {action}
          </Button>
        </div>
      </Field>
      {children}
      <ErrorText error={error} />
    </form>
  );
}
