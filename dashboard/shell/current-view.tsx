import { route } from '../routing/location.ts';
import { Compose } from '../views/compose/compose.tsx';
import { Connect } from '../views/connect/connect.tsx';
import { AllMail } from '../views/mailbox/all-mail.tsx';
import { MailboxView } from '../views/mailbox/mailbox-view.tsx';
import { Home } from '../views/mailboxes/home.tsx';
import { NotFound } from '../views/not-found.tsx';
import { Tokens } from '../views/tokens/tokens.tsx';
import { WebhookView } from '../views/webhooks/webhook-view.tsx';
import { Webhooks } from '../views/webhooks/webhooks.tsx';

export function CurrentView() {
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
