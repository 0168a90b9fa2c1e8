import { useEffect } from 'preact/hooks';
import { route } from '../routing/location.ts';
import type { Route } from '../routing/routes.ts';
import { loadMailboxes } from '../state/mailboxes.ts';
import { useKeptFresh } from '../state/use-kept-fresh.ts';
import { useShortcuts } from '../state/shortcuts.ts';
import { CurrentView } from './current-view.tsx';
import { closeDialog, dialog, openDialog } from './dialogs.ts';
import { Help } from './help.tsx';
import { NewMailbox } from './new-mailbox.tsx';
import { Sidebar } from './sidebar.tsx';
import { useKeptFocus } from './use-kept-focus.ts';

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
