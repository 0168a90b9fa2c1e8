import { IconButton } from '../components/button.tsx';
import { Icon } from '../components/icon.tsx';
import { Logo } from '../components/logo.tsx';
import { Link } from '../routing/link.tsx';
import { route } from '../routing/location.ts';
import { to } from '../routing/routes.ts';
import { mailboxes } from '../state/mailboxes.ts';
import { mayChange, session } from '../state/session.ts';
import { openDialog } from './dialogs.ts';
import { LabelTools } from './label-tools.tsx';
import { MailboxList } from './mailbox-list.tsx';
import { SidebarFoot } from './sidebar-foot.tsx';

export function Sidebar() {
  const current = session.value;
  if (!current) return null;
  const { workspace, limits } = current;
  const count = mailboxes.value?.length;
  return (
    <div class="sidebar">
      <header class="sidebar-head">
        <Link href={to.mailboxes()} class="brand">
          <Logo />
          <span class="brand-words">
            <strong>Mayfly</strong>
            <span class="brand-domain">{workspace.domain}</span>
          </span>
        </Link>
        <span class={`plan plan-${workspace.plan}`}>{workspace.plan}</span>
      </header>
      <nav class="sidebar-mailboxes" aria-label="Mailboxes">
        <div class="sidebar-heading">
          <h2>Mailboxes</h2>
          {count !== undefined && (
            <span class="of-limit">
              {count}
              {limits.mailboxes !== null && ` of ${limits.mailboxes}`}
            </span>
          )}
          {mayChange.value && (
            <IconButton
              icon="plus"
              label="New mailbox"
              onClick={() => {
                openDialog('new mailbox');
              }}
            />
          )}
        </div>
        <AllMailLink />
        <LabelTools />
        <MailboxList />
      </nav>
      <SidebarFoot session={current} />
    </div>
  );
}

/** Opens the messages of all mailboxes. */
function AllMailLink() {
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
