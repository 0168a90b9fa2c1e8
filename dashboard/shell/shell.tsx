import type { JSX, RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { ButtonLink } from '../components/button.tsx';
import { useTitle } from '../components/page.tsx';
import { Notice } from '../components/placeholders.tsx';
import { type Route, openIdOf, route, to } from '../routing/routes.ts';
import { loadMailboxes } from '../state/mailboxes.ts';
import { useShortcuts } from '../state/shortcuts.ts';
import { Compose } from '../views/compose/compose.tsx';
import { Connect } from '../views/connect.tsx';
import { Home } from '../views/home.tsx';
import { AllMail, MailboxView } from '../views/mailbox/mailbox-view.tsx';
import { Tokens } from '../views/tokens.tsx';
import { WebhookView } from '../views/webhooks/webhook-view.tsx';
import { Webhooks } from '../views/webhooks/webhooks.tsx';
import { closeDialog, dialog, openDialog } from './dialogs.ts';
import { Help } from './help.tsx';
import { NewMailboxForm } from './new-mailbox.tsx';
import { Sidebar } from './sidebar.tsx';

const RELOAD_MS = 60_000;

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
      {dialog.value === 'new mailbox' && <NewMailboxForm onClose={closeDialog} />}
    </div>
  );
}

type Pane = 'sidebar' | 'list' | 'message' | 'page';

const PANES: Record<Route['view'], Pane> = {
  mailboxes: 'sidebar',
  all: 'list',
  mailbox: 'list',
  message: 'message',
  compose: 'page',
  connect: 'page',
  webhooks: 'page',
  webhook: 'page',
  tokens: 'page',
  unknown: 'page',
};

function paneOf(shown: Route): Pane {
  return openIdOf(shown) === null ? PANES[shown.view] : 'message';
}

function CurrentView(): JSX.Element {
  const current = route.value;
  switch (current.view) {
    case 'mailboxes':
      return <Home />;
    case 'all':
      return <AllMail open={current.open} />;
    case 'mailbox':
      return <MailboxView name={current.name} messageId={null} />;
    case 'message':
      return <MailboxView name={current.name} messageId={current.id} />;
    case 'compose':
      return <Compose key={current.name} name={current.name} />;
    case 'connect':
      return <Connect key={current.name} name={current.name} />;
    case 'webhooks':
      return <Webhooks key={current.name} name={current.name} />;
    case 'webhook':
      return <WebhookView key={current.id} name={current.name} id={current.id} />;
    case 'tokens':
      return <Tokens />;
    case 'unknown':
      return <NotFound />;
  }
}

/** Shown for an unknown path. */
function NotFound() {
  useTitle('Not found');
  return (
    <Notice icon="search" title="Page not found">
      <p>The link may be out of date or incomplete.</p>
      <ButtonLink href={to.mailboxes()}>All mailboxes</ButtonLink>
    </Notice>
  );
}

/**
 * If a view change removes the focused element, focuses the container of the new view. Attach the
 * ref to that container.
 */
function useKeptFocus(): RefObject<HTMLElement | null> {
  const place = useRef<HTMLElement>(null);
  const { view } = route.value;
  useEffect(() => {
    const { activeElement } = document;
    const isLost = activeElement === document.body || activeElement?.checkVisibility() === false;
    if (isLost) place.current?.focus({ preventScroll: true });
  }, [view]);
  return place;
}

/**
 * Messages expire without an event, so the counts are reloaded periodically while the page is
 * visible.
 */
function useKeptFresh(): void {
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden) void loadMailboxes();
    }, RELOAD_MS);
    return () => {
      clearInterval(timer);
    };
  }, []);
}
