import { route } from '../routing/location.js';
import { Compose } from '../views/compose/compose.js';
import { Connect } from '../views/connect/connect.js';
import { AllMail } from '../views/mailbox/all-mail.js';
import { MailboxView } from '../views/mailbox/mailbox-view.js';
import { Home } from '../views/mailboxes/home.js';
import { NotFound } from '../views/not-found.js';
import { Tokens } from '../views/tokens/tokens.js';
import { WebhookView } from '../views/webhooks/webhook-view.js';
import { Webhooks } from '../views/webhooks/webhooks.js';

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
