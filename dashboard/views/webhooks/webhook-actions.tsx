import { useState } from 'preact/hooks';
import { Button } from '../../components/button.tsx';
import { ErrorText } from '../../components/form.tsx';
import type { Webhook } from '../../rest/shapes.ts';
import { changeWebhook, recoverDeliveries, testWebhook } from '../../rest/webhooks.ts';
import { toast } from '../../state/toasts.ts';
import { useAction } from '../../state/use-action.ts';
import { ChangeUrl, DeleteWebhook, RotateSecret } from './webhook-dialogs.tsx';

interface ActionProps {
  name: string;
  webhook: Webhook;
  onChange: (webhook: Webhook) => void;
  onSecret: (secret: string) => void;
  /** Called when a delivery was started. */
  onDelivery: () => void;
}

export function WebhookActions({ name, webhook, onChange, onSecret, onDelivery }: ActionProps) {
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
    toast(active ? 'Webhook paused' : 'Webhook enabled');
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
          {active ? 'Pause' : 'Enable'}
        </Button>
        <Button
          icon="refresh"
          busy={recover.isBusy}
          disabled={!active}
          title={active ? 'Send held and abandoned deliveries' : 'Enable the webhook first'}
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
