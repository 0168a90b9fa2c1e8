import type { ComponentChildren, InputHTMLAttributes } from 'preact';
import { useState } from 'preact/hooks';
import { useAction } from '../state/use-action.ts';
import { Button } from './button.tsx';
import { ErrorText } from './error-text.tsx';
import { Field } from './field.tsx';

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
  /** Receives the value without white space around it. */
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
