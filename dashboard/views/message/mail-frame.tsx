import { useState } from 'preact/hooks';
import { Button } from '../../components/button.tsx';
import { Icon } from '../../components/icon.tsx';
import { htmlPath } from '../../rest/paths.ts';
import { hasRemoteContent, isPhoneWide, isTurned } from './frame-settings.ts';

/**
 * The HTML of a mail, which is untrusted. The sandboxed frame runs no script, submits no form, has
 * an opaque origin and loads no remote content until the user asks for it. Links open in a new tab.
 */
export function MailFrame({ name, id, html }: { name: string; id: string; html: string }) {
  const [remote, setRemote] = useState(false);
  const src = htmlPath(name, id, remote);
  return (
    <>
      {!remote && hasRemoteContent(html) && (
        <div class="remote-bar">
          <Icon name="picture" />
          <span>
            Remote content is blocked: loading it tells the sender that you opened the mail.
          </span>
          <Button
            onClick={() => {
              setRemote(true);
            }}
          >
            Load remote content
          </Button>
        </div>
      )}
      <div class={`frame-ground ${isPhoneWide.value ? 'is-phone' : ''}`}>
        {/* A frame that changed its address would be in the way of the browser's back button. */}
        <div class="mail-frame">
          <iframe
            key={src}
            class={isTurned(html) ? 'is-turned' : ''}
            title="HTML of the message"
            sandbox="allow-popups allow-popups-to-escape-sandbox"
            referrerpolicy="no-referrer"
            src={src}
          />
        </div>
      </div>
    </>
  );
}
