import { useState } from 'preact/hooks';
import { Button } from '../../components/button.tsx';
import { ErrorText } from '../../components/error-text.tsx';
import { Field } from '../../components/field.tsx';
import { createToken } from '../../rest/tokens.ts';
import type { CreatedToken, Role } from '../../rest/shapes.ts';
import { useAction } from '../../state/use-action.ts';
import { roleNames, roles } from './roles.ts';

export function NewToken({ onMade }: { onMade: (token: CreatedToken) => void }) {
  const [name, setName] = useState('');
  const [role, setRole] = useState<Role>('member');
  const { run, isBusy, error } = useAction(async () => {
    onMade(await createToken({ name: name.trim(), role }));
    setName('');
  });
  return (
    <form
      class="card new-token"
      onSubmit={(event) => {
        event.preventDefault();
        void run();
      }}
    >
      <Field id="token-name" label="New token" help="A name to recognize the token by.">
        <input
          id="token-name"
          value={name}
          required
          maxLength={200}
          placeholder="ci"
          autocomplete="off"
          aria-describedby="token-name-help"
          onInput={(event) => {
            setName(event.currentTarget.value);
          }}
        />
      </Field>
      <Field id="token-role" label="Role" help={roles[role]}>
        <select
          id="token-role"
          value={role}
          aria-describedby="token-role-help"
          onChange={(event) => {
            const { value } = event.currentTarget;
            setRole(roleNames.find((one) => one === value) ?? 'member');
          }}
        >
          {roleNames.map((one) => (
            <option key={one} value={one}>
              {one}
            </option>
          ))}
        </select>
      </Field>
      <Button type="submit" tone="main" icon="plus" busy={isBusy}>
        Create token
      </Button>
      <ErrorText error={error} />
    </form>
  );
}
