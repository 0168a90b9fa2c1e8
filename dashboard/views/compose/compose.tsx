import { useState } from 'preact/hooks';
import { Button } from '../../components/button.tsx';
import { ConfirmDialog } from '../../components/dialog.tsx';
import { ErrorText, Field } from '../../components/form.tsx';
import { Page, useTitle } from '../../components/page.tsx';
import { Notice } from '../../components/placeholders.tsx';
import { Tabs } from '../../components/tabs.tsx';
import type { ApiError } from '../../rest/api-error.ts';
import { newKey, sendMessage } from '../../rest/messages.ts';
import { go, to } from '../../routing/routes.ts';
import { useAction } from '../../state/requests.ts';
import { mayChange } from '../../state/session.ts';
import { useShortcuts } from '../../state/shortcuts.ts';
import { toast } from '../../state/toasts.ts';
import { type Draft, emptyDraft, isTooLarge, requestOf } from './draft.ts';
import { FileField } from './file-field.tsx';
import { RecipientField } from './recipient-field.tsx';

/** Form to send a mail from a mailbox to mailboxes of the same workspace. */
export function Compose({ name }: { name: string }) {
  useTitle(`Compose from ${name}`);
  const [draft, setDraft] = useState<Draft>(emptyDraft);
  // Idempotency key. It stays the same while a send is repeated and changes after a success.
  const [key, setKey] = useState(newKey);
  const { run, isBusy, error } = useAction(async () => {
    const { deliveredTo } = await sendMessage(name, await requestOf(draft), key);
    toast(
      `Sent to ${deliveredTo.length === 1 ? (deliveredTo[0] ?? '') : `${deliveredTo.length} mailboxes`}`,
    );
    go(to.mailbox(name));
  });
  const change = (part: Partial<Draft>) => {
    setDraft((before) => ({ ...before, ...part }));
    setKey(newKey());
  };
  const [isDiscarding, setDiscarding] = useState(false);
  const leave = () => {
    go(to.mailbox(name));
  };
  const discard = () => {
    if (draft === emptyDraft) leave();
    else setDiscarding(true);
  };
  useShortcuts({ Escape: discard });
  if (!mayChange.value) {
    return (
      <Notice icon="send" title="Your token is read-only">
        <p>Sending requires the role member or admin.</p>
      </Notice>
    );
  }
  const bad = badAddresses(error);
  return (
    <Page
      title="New message"
      lead={`From ${name}, to mailboxes of this workspace.`}
      back={{ href: to.mailbox(name), label: `Messages of ${name}` }}
    >
      <form
        class="compose"
        onSubmit={(event) => {
          event.preventDefault();
          void run();
        }}
      >
        <RecipientField
          id="to"
          label="To"
          value={draft.to}
          bad={bad}
          autofocus
          onChange={(addresses) => {
            change({ to: addresses });
          }}
        />
        <RecipientField
          id="cc"
          label="Cc"
          value={draft.cc}
          bad={bad}
          onChange={(addresses) => {
            change({ cc: addresses });
          }}
        />
        <Field id="subject" label="Subject">
          <input
            id="subject"
            value={draft.subject}
            maxLength={10_000}
            onInput={(event) => {
              change({ subject: event.currentTarget.value });
            }}
          />
        </Field>
        <BodyFields draft={draft} onChange={change} />
        <FileField
          files={draft.files}
          onChange={(files) => {
            change({ files });
          }}
        />
        <ErrorText error={error} />
        <footer class="compose-foot">
          <Button
            type="submit"
            tone="main"
            icon="send"
            busy={isBusy}
            disabled={draft.to.length === 0 || isTooLarge(draft)}
          >
            {isBusy ? 'Sending…' : 'Send'}
          </Button>
          <Button onClick={discard}>Discard</Button>
        </footer>
      </form>
      {isDiscarding && (
        <ConfirmDialog
          title="Discard this message?"
          confirm="Discard"
          onConfirm={async () => {
            leave();
          }}
          onClose={() => {
            setDiscarding(false);
          }}
        >
          <p>The draft is not saved.</p>
        </ConfirmDialog>
      )}
    </Page>
  );
}

/** Extracts the addresses that a failed send reports as unknown mailboxes. */
function badAddresses(error: ApiError | null): string[] {
  const details = error?.details;
  if (typeof details !== 'object' || details === null || !('recipients' in details)) return [];
  const { recipients } = details;
  return Array.isArray(recipients) ? recipients.filter((one) => typeof one === 'string') : [];
}

type Body = 'text' | 'html';

/** The mail body: text, HTML, or both. */
function BodyFields({
  draft,
  onChange,
}: {
  draft: Draft;
  onChange: (part: Partial<Draft>) => void;
}) {
  const [body, setBody] = useState<Body>('text');
  return (
    <div class="field">
      <Tabs<Body>
        label="Body"
        panel="mail-body"
        current={body}
        onChange={setBody}
        tabs={[
          { name: 'text', label: 'Text' },
          { name: 'html', label: draft.html === '' ? 'HTML' : 'HTML •' },
        ]}
      />
      <div id="mail-body" role="tabpanel" aria-label={body === 'text' ? 'Text' : 'HTML'}>
        <textarea
          key={body}
          rows={9}
          value={draft[body]}
          aria-label={body === 'text' ? 'Text of the message' : 'HTML of the message'}
          placeholder={
            body === 'text' ? 'Your code is 482913.' : '<p>Your code is <b>482913</b>.</p>'
          }
          class={body === 'html' ? 'is-code' : ''}
          spellcheck={body === 'text'}
          onInput={(event) => {
            onChange({ [body]: event.currentTarget.value });
          }}
        />
      </div>
    </div>
  );
}
