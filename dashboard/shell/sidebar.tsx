import { IconButton } from '../components/icon-button.tsx';
import { Logo } from '../components/logo.tsx';
import { Link } from '../routing/link.tsx';
import { to } from '../routing/routes.ts';
import { mailboxes } from '../state/mailboxes.ts';
import { mayChange, session } from '../state/session.ts';
import { openDialog } from './dialogs.ts';
import { AllMailLink } from './all-mail-link.tsx';
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
