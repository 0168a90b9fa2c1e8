import { useEffect } from 'preact/hooks';
import { Button } from '../components/button.tsx';
import { ErrorText } from '../components/form.tsx';
import { useTitle } from '../components/page.tsx';
import { Failure, Notice, Skeleton } from '../components/placeholders.tsx';
import { go, to } from '../routing/routes.ts';
import { openDialog } from '../shell/dialogs.ts';
import { addMailbox, loadMailboxes, mailboxes, mailboxesFailure } from '../state/mailboxes.ts';
import { useAction } from '../state/requests.ts';
import { mayChange, session } from '../state/session.ts';
import { sendTestMail } from './test-mail.ts';

/** On a phone this view shows only the sidebar. */
const WIDE = matchMedia('(min-width: 760px)');

/** The start view: the newest mailbox, or the first steps of a new workspace. */
export function Home() {
  useTitle('Mailboxes');
  const list = mailboxes.value;
  const newest = list?.[0]?.name;
  useEffect(() => {
    if (newest !== undefined && WIDE.matches) go(to.mailbox(newest), { replace: true });
  }, [newest]);

  if (!list && mailboxesFailure.value) {
    return (
      <Failure
        title="The mailboxes could not be loaded"
        error={mailboxesFailure.value}
        onRetry={() => void loadMailboxes()}
      />
    );
  }
  if (!list) {
    return (
      <div class="page">
        <Skeleton lines={5} />
      </div>
    );
  }
  return list.length === 0 ? <Welcome /> : null;
}

/** The first screen of a new workspace: one click creates a mailbox and sends it a mail. */
function Welcome() {
  const { run, isBusy, error } = useAction(async () => {
    const mailbox = await addMailbox();
    go(to.mailbox(mailbox.name));
    await sendTestMail(mailbox);
  });
  if (!mayChange.value) {
    return (
      <Notice icon="inbox" title="No mailboxes yet">
        <p>
          Your token is read-only. Ask someone with the role member or admin to create the first
          mailbox.
        </p>
      </Notice>
    );
  }
  return (
    <div class="welcome">
      <WelcomePicture />
      <h1>Your first message in one click</h1>
      <p>
        This creates a mailbox at <strong>{session.value?.workspace.domain}</strong> and sends a
        mail to it.
      </p>
      <Button
        tone="main"
        icon="plus"
        class="big"
        busy={isBusy}
        autofocus
        onClick={() => void run()}
      >
        {isBusy ? 'Creating…' : 'Create a mailbox'}
      </Button>
      <Button
        onClick={() => {
          openDialog('new mailbox');
        }}
      >
        Choose a name, or create an empty mailbox
      </Button>
      <ErrorText error={error} />
    </div>
  );
}

/** An envelope with wings. */
function WelcomePicture() {
  return (
    <svg class="welcome-picture" viewBox="0 0 200 132" aria-hidden="true" focusable="false">
      <path class="picture-wing-behind" d="M132 62c2-28 18-46 46-52 2 28-14 48-46 52Z" />
      <path class="picture-wing-behind" d="M68 62C66 34 50 16 22 10c-2 28 14 48 46 52Z" />
      <path class="picture-wing" d="M126 72c14-24 36-34 62-28-10 26-32 36-62 28Z" />
      <path class="picture-wing" d="M74 72C60 48 38 38 12 44c10 26 32 36 62 28Z" />
      <rect class="picture-letter" x="58" y="46" width="84" height="60" rx="9" />
      <path class="picture-flap" d="m62 52 38 30 38-30" />
      <path class="picture-path" d="M70 124h60M84 116h32" />
    </svg>
  );
}
