import { useEffect } from 'preact/hooks';
import { Failure, Skeleton } from '../../components/placeholders.tsx';
import { go } from '../../routing/location.ts';
import { to } from '../../routing/routes.ts';
import { loadMailboxes, mailboxes, mailboxesFailure } from '../../state/mailboxes.ts';
import { useTitle } from '../../state/use-title.ts';
import { Welcome } from './welcome.tsx';

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
