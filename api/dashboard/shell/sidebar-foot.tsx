import { Icon } from '../components/icon.js';
import { IconButton } from '../components/icon-button.js';
import { Link } from '../routing/link.js';
import { route } from '../routing/location.js';
import { to } from '../routing/routes.js';
import type { Session } from '../rest/shapes.js';
import { mayManageTokens, signOut } from '../state/session.js';
import { useAction } from '../state/use-action.js';
import { ConnectionMark } from './connection-mark.js';
import { openDialog } from './dialogs.js';
import { ThemeSwitch } from './theme-switch.js';

/** Links and settings that do not belong to a mailbox. */
export function SidebarFoot({ session }: { session: Session }) {
  const { run, isBusy } = useAction(signOut);
  return (
    <div class="sidebar-foot">
      <nav aria-label="More">
        <ul class="more-list">
          {mayManageTokens.value && (
            <li>
              <Link
                href={to.tokens()}
                class="more-item"
                aria-current={route.value.view === 'tokens' ? 'page' : undefined}
              >
                <Icon name="key" />
                API tokens
              </Link>
            </li>
          )}
          <li>
            <a href="/docs/" class="more-item">
              <Icon name="book" />
              API reference
            </a>
          </li>
          {session.queuesUrl !== null && (
            <li>
              <a href={session.queuesUrl} class="more-item">
                <Icon name="layers" />
                Queues
              </a>
            </li>
          )}
        </ul>
      </nav>
      <div class="who">
        <ConnectionMark />
        <span
          class="who-token"
          title={`Token ${session.token.prefix}…, role ${session.token.role}`}
        >
          {session.token.name} · {session.token.role}
        </span>
      </div>
      <div class="sidebar-tools">
        <ThemeSwitch />
        <IconButton
          icon="keyboard"
          label="Keyboard shortcuts"
          onClick={() => {
            openDialog('help');
          }}
        />
        <IconButton icon="signOut" label="Sign out" disabled={isBusy} onClick={() => void run()} />
      </div>
    </div>
  );
}
