import { useState } from 'preact/hooks';
import { Button } from '../components/button.tsx';
import { Dialog } from '../components/dialog.tsx';
import { ErrorText, Field } from '../components/form.tsx';
import { go, to } from '../routing/routes.ts';
import { addMailbox, mailboxes } from '../state/mailboxes.ts';
import { useAction } from '../state/requests.ts';
import { session } from '../state/session.ts';

export function NewMailboxForm({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState('');
  const { run, isBusy, error } = useAction(async () => {
    const mailbox = await addMailbox(name.trim() === '' ? undefined : name.trim());
    onClose();
    go(to.mailbox(mailbox.name));
  });
  const isPro = session.value?.workspace.plan === 'pro';
  const limit = session.value?.limits.mailboxes ?? Infinity;
  const isFull = (mailboxes.value?.length ?? 0) >= limit;
  return (
    <Dialog title="New mailbox" onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void run();
        }}
      >
        <Field
          id="mailbox-name"
          label="Name"
          help={
            isPro
              ? '3 to 40 letters, digits, dots, dashes and underscores. Leave empty to get a generated name that is hard to guess.'
              : 'On the Free plan, names are generated. Custom names require Pro.'
          }
        >
          <div class="affixed">
            <input
              id="mailbox-name"
              value={name}
              placeholder={isPro ? 'signup-test' : 'generated'}
              disabled={!isPro}
              autofocus={isPro}
              autocomplete="off"
              autocapitalize="off"
              spellcheck={false}
              maxLength={40}
              aria-describedby="mailbox-name-help"
              onInput={(event) => {
                setName(event.currentTarget.value);
              }}
            />
            <span>@{session.value?.workspace.domain}</span>
          </div>
        </Field>
        {isFull && (
          <p class="hint">All {limit} mailboxes of the plan are in use. Delete one first.</p>
        )}
        <ErrorText error={error} />
        <footer class="dialog-foot">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" tone="main" icon="plus" busy={isBusy} autofocus={!isPro}>
            Create mailbox
          </Button>
        </footer>
      </form>
    </Dialog>
  );
}
