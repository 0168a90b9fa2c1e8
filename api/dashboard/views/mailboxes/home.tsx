import { useEffect } from 'preact/hooks';
import { Failure } from '../../components/failure.js';
import { Skeleton } from '../../components/skeleton.js';
import { go } from '../../routing/location.js';
import { to } from '../../routing/routes.js';
import { loadMailboxes, mailboxes, mailboxesFailure } from '../../state/mailboxes.js';
import { useTitle } from '../../state/use-title.js';
import { Welcome } from './welcome.js';

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
