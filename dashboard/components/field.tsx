import type { ComponentChildren } from 'preact';

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
