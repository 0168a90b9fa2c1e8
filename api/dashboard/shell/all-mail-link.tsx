import { Icon } from '../components/icon.js';
import { Link } from '../routing/link.js';
import { route } from '../routing/location.js';
import { to } from '../routing/routes.js';

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
