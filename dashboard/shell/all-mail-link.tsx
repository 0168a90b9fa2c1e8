import { Icon } from '../components/icon.tsx';
import { Link } from '../routing/link.tsx';
import { route } from '../routing/location.ts';
import { to } from '../routing/routes.ts';

/** Opens the messages of all mailboxes. */
export function AllMailLink() {
  const isCurrent = route.value.view === 'all';
  return (
    <div class="all-mail">
      <Link href={to.all()} class="mailbox-item" aria-current={isCurrent ? 'page' : undefined}>
        <span class="mailbox-name">All mail</span>
        <Icon name="layers" />
      </Link>
    </div>
  );
}
