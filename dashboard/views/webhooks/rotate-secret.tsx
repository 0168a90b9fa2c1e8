import { useState } from 'preact/hooks';
import { ConfirmDialog } from '../../components/dialog.tsx';
import { Field } from '../../components/field.tsx';
import { rotateSecret } from '../../rest/webhooks.ts';

const overlaps = [
  [86_400, 'a day'],
  [3600, 'an hour'],
  [0, '0 seconds (the previous secret has leaked)'],
] as const;

export function RotateSecret({
  name,
  id,
  onSecret,
  onClose,
}: {
  name: string;
  id: string;
  onSecret: (secret: string) => void;
  onClose: () => void;
}) {
  const [overlap, setOverlap] = useState<number>(overlaps[0][0]);
  const rotate = async () => {
    onSecret((await rotateSecret(name, id, overlap)).secret);
  };
  return (
    <ConfirmDialog
      title="Rotate the secret?"
      confirm="Rotate secret"
      tone="main"
      onConfirm={rotate}
      onClose={onClose}
    >
      <p>Deliveries are signed with the new secret at once. The new secret is shown once.</p>
      <Field id="overlap" label="Also sign with the previous secret for">
        <select
          id="overlap"
          value={overlap}
          onChange={(event) => {
            setOverlap(Number(event.currentTarget.value));
          }}
        >
          {overlaps.map(([seconds, label]) => (
            <option key={seconds} value={seconds}>
              {label}
            </option>
          ))}
        </select>
      </Field>
    </ConfirmDialog>
  );
}
