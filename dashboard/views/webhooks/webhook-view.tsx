import { useState } from 'preact/hooks';
import { Button, ButtonLink } from '../../components/button.tsx';
import { ErrorText } from '../../components/form.tsx';
import { Page, useTitle } from '../../components/page.tsx';
import { Failure, Notice, Skeleton } from '../../components/placeholders.tsx';
import { Secret } from '../../components/secret.tsx';
import { UrlText } from '../../components/url-text.tsx';
import type { Webhook } from '../../rest/shapes.ts';
import {
  changeWebhook,
  listWebhooks,
  recoverDeliveries,
  testWebhook,
} from '../../rest/webhooks.ts';
import { to } from '../../routing/routes.ts';
import { useAction, useLoaded } from '../../state/requests.ts';
import { mayChange } from '../../state/session.ts';
import { toast } from '../../state/toasts.ts';
import { DeliveryLog } from './delivery-log.tsx';
import { useWebhookChanges } from './use-webhook-changes.ts';
import { ChangeUrl, DeleteWebhook, RotateSecret } from './webhook-dialogs.tsx';
import { WebhookStatus } from './webhook-status.tsx';

/** One webhook: state, actions and delivery log. */
export function WebhookView({ name, id }: { name: string; id: string }) {
  useTitle(`Webhook of ${name}`);
  const { value, error, reload, set } = useLoaded(name, () => listWebhooks(name));
  const [secret, setSecret] = useState<string | null>(null);
  const [logTurn, setLogTurn] = useState(0);
  const readLog = () => {
    setLogTurn((turn) => turn + 1);
  };
  useWebhookChanges(name, () => {
    reload();
    readLog();
  });
  const webhook = value?.find((one) => one.id === id);
  if (error && !value) {
    return <Failure title="The webhook could not be loaded" error={error} onRetry={reload} />;
  }
  if (!value) {
    return (
      <div class="page">
        <Skeleton lines={6} />
      </div>
    );
  }
  if (!webhook) {
    return (
      <Notice icon="webhook" title="Webhook not found">
        <p>It was deleted, or the link is wrong.</p>
        <ButtonLink href={to.webhooks(name)}>All webhooks of {name}</ButtonLink>
      </Notice>
    );
  }
  return (
    <Page
      title="Webhook"
      lead={
        <span class="webhook-url">
          <UrlText url={webhook.url} />
        </span>
      }
      back={{ href: to.webhooks(name), label: `Webhooks of ${name}` }}
    >
      {secret !== null && (
        <Secret
          title="New signing secret"
          value={secret}
          label="the signing secret"
          onDone={() => {
            setSecret(null);
          }}
        />
      )}
      <WebhookStatus webhook={webhook} />
      {mayChange.value && (
        <WebhookActions
          name={name}
          webhook={webhook}
          onChange={(changed) => {
            set(value.map((one) => (one.id === id ? changed : one)));
          }}
          onSecret={setSecret}
          onDelivery={readLog}
        />
      )}
      <DeliveryLog name={name} webhook={webhook} turn={logTurn} onDelivery={readLog} />
    </Page>
  );
}

interface ActionProps {
  name: string;
  webhook: Webhook;
  onChange: (webhook: Webhook) => void;
  onSecret: (secret: string) => void;
  /** Called when a delivery was started. */
  onDelivery: () => void;
}

function WebhookActions({ name, webhook, onChange, onSecret, onDelivery }: ActionProps) {
  const { id, active } = webhook;
  const [open, setOpen] = useState<'url' | 'secret' | 'delete' | null>(null);
  const close = () => {
    setOpen(null);
  };
  const test = useAction(async () => {
    await testWebhook(name, id);
    toast('Test event sent. It is in the delivery log.');
    onDelivery();
  });
  const toggle = useAction(async () => {
    onChange(await changeWebhook(name, id, { active: !active }));
    toast(active ? 'Webhook paused' : 'Webhook resumed');
  });
  const recover = useAction(async () => {
    const { recovered } = await recoverDeliveries(name, id);
    toast(
      recovered === 0
        ? 'No deliveries to recover'
        : `${recovered} ${recovered === 1 ? 'delivery' : 'deliveries'} queued again`,
    );
    if (recovered > 0) onDelivery();
  });
  return (
    <>
      <div class="row webhook-actions">
        <Button icon="send" tone="main" busy={test.isBusy} onClick={() => void test.run()}>
          Send test event
        </Button>
        <Button
          icon={active ? 'pause' : 'play'}
          busy={toggle.isBusy}
          onClick={() => void toggle.run()}
        >
          {active ? 'Pause' : 'Resume'}
        </Button>
        <Button
          icon="refresh"
          busy={recover.isBusy}
          disabled={!active}
          title={active ? 'Send held and abandoned deliveries' : 'Resume the webhook first'}
          onClick={() => void recover.run()}
        >
          Recover
        </Button>
        <Button
          onClick={() => {
            setOpen('url');
          }}
        >
          Change URL
        </Button>
        <Button
          onClick={() => {
            setOpen('secret');
          }}
        >
          Rotate secret
        </Button>
        <Button
          tone="quiet"
          icon="trash"
          class="is-danger"
          onClick={() => {
            setOpen('delete');
          }}
        >
          Delete
        </Button>
      </div>
      <ErrorText error={test.error ?? toggle.error ?? recover.error} />
      {open === 'url' && (
        <ChangeUrl name={name} webhook={webhook} onChange={onChange} onClose={close} />
      )}
      {open === 'secret' && (
        <RotateSecret name={name} webhook={webhook} onSecret={onSecret} onClose={close} />
      )}
      {open === 'delete' && <DeleteWebhook name={name} webhook={webhook} onClose={close} />}
    </>
  );
}
