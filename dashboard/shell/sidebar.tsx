import { effect } from '@preact/signals';
import { IconButton } from '../components/button.tsx';
import { type IconName, Icon } from '../components/icon.tsx';
import { Logo } from '../components/logo.tsx';
import type { Session } from '../rest/shapes.ts';
import { ViewLink } from '../routing/link.tsx';
import { route, to } from '../routing/routes.ts';
import { connection } from '../state/live.ts';
import { isWhole, mailboxes } from '../state/mailboxes.ts';
import { useAction } from '../state/requests.ts';
import { mayChange, mayManageTokens, session, signOut } from '../state/session.ts';
import { stored } from '../state/stored.ts';
import { openDialog } from './dialogs.ts';
import { FindMailbox, LabelTools, MailboxList } from './mailbox-list.tsx';

export function Sidebar() {
  const current = session.value;
  if (!current) return null;
  const { workspace, limits } = current;
  const count = mailboxes.value?.length;
  return (
    <div class="sidebar">
      <header class="sidebar-head">
        <ViewLink href={to.mailboxes()} class="brand">
          <Logo />
          <span class="brand-words">
            <strong>Mayfly</strong>
            <span class="brand-domain">{workspace.domain}</span>
          </span>
        </ViewLink>
        <span class={`plan plan-${workspace.plan}`}>{workspace.plan}</span>
      </header>
      <nav class="sidebar-mailboxes" aria-label="Mailboxes">
        <div class="sidebar-heading">
          <h2>Mailboxes</h2>
          {count !== undefined && (
            <span class="of-limit">
              {count}
              {!isWhole.value && '+'}
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
        <FindMailbox />
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
      <ViewLink href={to.all()} class="mailbox-item" aria-current={isCurrent ? 'page' : undefined}>
        <span class="mailbox-name">All mail</span>
        <Icon name="layers" />
      </ViewLink>
    </div>
  );
}

const connectionTexts = {
  connecting: 'Connecting',
  live: 'Live',
  away: 'Reconnecting',
};

/** Links and settings that do not belong to a mailbox. */
function SidebarFoot({ session }: { session: Session }) {
  const { run, isBusy } = useAction(signOut);
  return (
    <div class="sidebar-foot">
      <nav aria-label="More">
        <ul class="more-list">
          {mayManageTokens.value && (
            <li>
              <ViewLink
                href={to.tokens()}
                class="more-item"
                aria-current={route.value.view === 'tokens' ? 'page' : undefined}
              >
                <Icon name="key" />
                API tokens
              </ViewLink>
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

const themes = ['system', 'light', 'dark'] as const;
type Theme = (typeof themes)[number];

const isTheme = (value: unknown): value is Theme => themes.some((theme) => theme === value);

const theme = stored<Theme>('mayfly.theme', 'system', isTheme);

effect(() => {
  document.documentElement.dataset['theme'] = theme.value;
});

const looks: Record<Theme, { icon: IconName; label: string }> = {
  system: { icon: 'monitor', label: 'System' },
  light: { icon: 'sun', label: 'Light' },
  dark: { icon: 'moon', label: 'Dark' },
};

function ThemeSwitch() {
  return (
    <fieldset class="theme-switch">
      <legend class="visually-hidden">Color theme</legend>
      {themes.map((one) => (
        <label key={one} title={looks[one].label}>
          <input
            type="radio"
            name="theme"
            class="visually-hidden"
            checked={theme.value === one}
            onChange={() => {
              theme.value = one;
            }}
          />
          <Icon name={looks[one].icon} />
          <span class="visually-hidden">{looks[one].label}</span>
        </label>
      ))}
    </fieldset>
  );
}
