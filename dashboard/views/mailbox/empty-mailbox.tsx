import { useState } from 'preact/hooks';
import { Button } from '../../components/button.tsx';
import { CodeBlock, CopyButton } from '../../components/copy-button.tsx';
import { ErrorText } from '../../components/form.tsx';
import { Tabs } from '../../components/tabs.tsx';
import type { Mailbox, Session } from '../../rest/shapes.ts';
import { to } from '../../routing/routes.ts';
import { useAction } from '../../state/requests.ts';
import { mayChange, session } from '../../state/session.ts';
import { sendTestMail } from '../test-mail.ts';

/** Shown until the first mail arrives, with ways to send one. */
export function EmptyMailbox({ mailbox }: { mailbox: Mailbox }) {
  const [way, setWay] = useState<Way>('swaks');
  const { run, isBusy, error } = useAction(() => sendTestMail(mailbox));
  const smtp = session.value?.smtp;
  if (!smtp) return null;
  return (
    <div class="empty-mailbox">
      <div class="waiting" role="status">
        <span class="waiting-mark" aria-hidden="true" />
        Waiting for mail
      </div>
      <p class="big-address">
        <span>{mailbox.address}</span>
      </p>
      <p class="lead">Mail sent to this address appears here automatically.</p>
      <div class="row is-centered">
        <CopyButton text={mailbox.address} label="Copy address" words="Copy address" tone="main" />
        {mayChange.value && (
          <Button icon="send" busy={isBusy} onClick={() => void run()}>
            Send a test mail
          </Button>
        )}
      </div>
      <ErrorText error={error} />
      <p>
        <a href={to.connect(mailbox.name)}>Connect your app</a> to catch its mail to any address.
      </p>
      <div class="by-smtp">
        <div class="by-smtp-head">
          <h2>Send mail by SMTP</h2>
          <Tabs<Way>
            label="SMTP client"
            panel="smtp-command"
            current={way}
            onChange={setWay}
            tabs={[
              { name: 'swaks', label: 'swaks' },
              { name: 'curl', label: 'curl' },
              { name: 'nodemailer', label: 'Node' },
            ]}
          />
        </div>
        <div id="smtp-command" role="tabpanel" aria-label={way}>
          <CodeBlock code={smtpCommands(mailbox, smtp)[way]} label={`${way} command`} />
        </div>
        <dl class="facts">
          <div>
            <dt>Host</dt>
            <dd>{smtp.host}</dd>
          </div>
          <div>
            <dt>Port</dt>
            <dd>{smtp.port}</dd>
          </div>
          <div>
            <dt>Login</dt>
            <dd>none</dd>
          </div>
        </dl>
      </div>
    </div>
  );
}

type Way = 'swaks' | 'curl' | 'nodemailer';

/** Returns commands that send a first mail to the mailbox. */
function smtpCommands({ address }: Mailbox, { host, port }: Session['smtp']): Record<Way, string> {
  const mail = `From: me@example.com\\r\\nTo: ${address}\\r\\nSubject: Hello\\r\\n\\r\\nIt works.\\r\\n`;
  const server = host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
  return {
    swaks: `swaks --server ${server} --to ${address} --from me@example.com --header 'Subject: Hello' --body 'It works.'`,
    curl: `printf '${mail}' | curl -sS smtp://${server} --mail-from me@example.com --mail-rcpt ${address} -T -`,
    nodemailer: `import { createTransport } from 'nodemailer';

await createTransport({ host: '${host}', port: ${port} }).sendMail({
  from: 'me@example.com',
  to: '${address}',
  subject: 'Hello',
  text: 'It works.',
});`,
  };
}
