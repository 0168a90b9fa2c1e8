import { useEffect } from 'preact/hooks';
import { route } from '../routing/location.js';
import type { Route } from '../routing/routes.js';
import { loadMailboxes } from '../state/mailboxes.js';
import { useKeptFresh } from '../state/use-kept-fresh.js';
import { useShortcuts } from '../state/shortcuts.js';
import { CurrentView } from './current-view.js';
import { closeDialog, dialog, openDialog } from './dialogs.js';
import { Help } from './help.js';
import { NewMailbox } from './new-mailbox.js';
import { Sidebar } from './sidebar.js';
import { useKeptFocus } from './use-kept-focus.js';

/** The frame around every view. A phone shows one pane at a time, selected by `data-pane`. */
export function Shell() {
  useEffect(() => {
    void loadMailboxes();
    return closeDialog;
  }, []);
  useKeptFresh();
  const content = useKeptFocus();
  useShortcuts({
    '?': () => {
      openDialog('help');
    },
    n: () => {
      openDialog('new mailbox');
    },
  });
  return (
    <div class="shell" data-pane={paneOf(route.value)}>
      <a class="skip-link" href="#content">
        Skip to content
      </a>
      <Sidebar />
      <main id="content" class="content" tabIndex={-1} ref={content}>
        <CurrentView />
      </main>
      {dialog.value === 'help' && <Help onClose={closeDialog} />}
      {dialog.value === 'new mailbox' && <NewMailbox onClose={closeDialog} />}
    </div>
  );
}

function paneOf(shown: Route): 'sidebar' | 'list' | 'message' | 'page' {
  const { view } = shown;
  if (view === 'all') return shown.open ? 'message' : 'list';
  if (view === 'mailboxes') return 'sidebar';
  if (view === 'mailbox') return 'list';
  return view === 'message' ? 'message' : 'page';
}
