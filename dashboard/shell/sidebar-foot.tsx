import { IconButton } from '../components/button.tsx';
import { Icon } from '../components/icon.tsx';
import type { Session } from '../rest/shapes.ts';
import { Link } from '../routing/link.tsx';
import { route } from '../routing/location.ts';
import { to } from '../routing/routes.ts';
import { connection } from '../state/live.ts';
import { mayManageTokens, signOut } from '../state/session.ts';
import { useAction } from '../state/use-action.ts';
import { openDialog } from './dialogs.ts';
import { ThemeSwitch } from './theme-switch.tsx';

const connectionTexts = {
  connecting: 'Connecting',
  live: 'Live',
  away: 'Reconnecting',
};

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

/** The state of the event stream. */
function ConnectionMark() {
  const state = connection.value;
  return (
    <span class={`connection connection-${state}`} role="status">
      <span class="connection-dot" aria-hidden="true" />
      {connectionTexts[state]}
    </span>
  );
}
