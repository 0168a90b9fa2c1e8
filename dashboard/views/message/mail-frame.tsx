import { signal } from '@preact/signals';
import { useState } from 'preact/hooks';
import { Button, IconButton } from '../../components/button.tsx';
import { Icon } from '../../components/icon.tsx';
import { htmlPath } from '../../rest/paths.ts';

/** Whether mails are shown at phone width. It applies to all messages, as does the scheme. */
const isPhoneWide = signal(false);

/** The requested color scheme; null follows the system. */
const scheme = signal<'light' | 'dark' | null>(null);

const systemDark = matchMedia('(prefers-color-scheme: dark)');

/**
 * The HTML of a mail, which is untrusted. The sandboxed frame runs no script, submits no form, has
 * an opaque origin and loads no remote content until the user asks for it. Links open in a new tab.
 */
export function MailFrame({ name, id, html }: { name: string; id: string; html: string }) {
  const [remote, setRemote] = useState(false);
  const src = htmlPath(name, id, { remote, scheme: scheme.value });
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

export function FrameTools({ html }: { html: string }) {
  return (
    <div class="row frame-tools">
      <IconButton
        icon="phone"
        label="Phone width"
        class="only-wide"
        pressed={isPhoneWide.value}
        onClick={() => {
          isPhoneWide.value = !isPhoneWide.value;
        }}
      />
      <IconButton
        icon="moon"
        label="Dark colors"
        pressed={isDark(html)}
        onClick={() => {
          scheme.value = isDark(html) ? 'light' : 'dark';
        }}
      />
    </div>
  );
}

/** Whether the mail is shown dark: by choice, or by its own scheme on a dark system. */
function isDark(html: string): boolean {
  if (scheme.value !== null) return scheme.value === 'dark';
  return systemDark.matches && /color-scheme/i.test(html);
}

/**
 * Whether the HTML refers to remote content. Only a hint for the user; the Content-Security-Policy
 * enforces it.
 */
function hasRemoteContent(html: string): boolean {
  if (REMOTE_STYLE.test(html)) return true;
  // Each tag is searched once, for an attribute behind the first letter of its name.
  return html.split('>').some((text) => {
    const tag = text.slice(startOf(TAG, text) + 1);
    return REMOTE_ATTRIBUTE.test(tag) || LINK_TARGET.test(text.slice(startOf(LINK, text) + 1));
  });
}

/** Of the first match; the end of the text without one. */
function startOf(pattern: RegExp, text: string): number {
  return pattern.exec(text)?.index ?? text.length;
}

const TAG = /<[a-z]/i;
const REMOTE_ATTRIBUTE =
  /[^]\b(?:src|srcset|background|poster)\s*=\s*(?:["']\s*)?(?:https?:)?\/\//i;
const LINK = /<link\b/i;
const LINK_TARGET = /^link[^]*?\bhref\s*=/i;
const REMOTE_STYLE = /url\(\s*(?:["']\s*)?(?:https?:)?\/\/|@import/i;
