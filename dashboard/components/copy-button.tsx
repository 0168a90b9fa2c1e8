import { useEffect, useState } from 'preact/hooks';
import { announce, toast } from '../state/toasts.ts';
import { Icon } from './icon.tsx';

const SHOWN_MS = 1600;

/** Copies the text to the clipboard. With `words`, the button has a visible label. */
export function CopyButton({
  text,
  label,
  words,
  tone = 'plain',
}: {
  text: string;
  label: string;
  words?: string;
  tone?: 'plain' | 'main';
}) {
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => {
      setCopied(false);
    }, SHOWN_MS);
    return () => {
      clearTimeout(timer);
    };
  }, [isCopied]);

  const copy = async () => {
    if (!(await copyText(text))) {
      toast('The browser blocked copying. Select the text and copy it manually.', { tone: 'bad' });
      return;
    }
    setCopied(true);
    announce('Copied');
  };
  return (
    <button
      type="button"
      class={`${words === undefined ? 'icon-button' : `button button-${tone}`} ${isCopied ? 'is-done' : ''}`}
      aria-label={label}
      title={label}
      onClick={() => void copy()}
    >
      <Icon name={isCopied ? 'check' : 'copy'} />
      {words !== undefined && <span>{isCopied ? 'Copied' : words}</span>}
    </button>
  );
}

/** A command with a copy button. */
export function CodeBlock({ code, label }: { code: string; label: string }) {
  return (
    <div class="code-block">
      <pre tabIndex={0} aria-label={label}>
        <code>{code}</code>
      </pre>
      <CopyButton text={code} label={`Copy ${label}`} />
    </div>
  );
}

/**
 * Copies text to the clipboard. Browsers provide the Clipboard API only on HTTPS pages and
 * localhost.
 */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyBySelection(text);
  }
}

function copyBySelection(text: string): boolean {
  const field = document.createElement('textarea');
  field.value = text;
  field.className = 'visually-hidden';
  const place = document.querySelector('dialog[open]') ?? document.body;
  const focused = document.activeElement;
  place.append(field);
  field.select();
  // Deprecated, but the only method on a plain HTTP page.
  // oxlint-disable-next-line typescript/no-deprecated
  const done = document.execCommand('copy');
  field.remove();
  if (focused instanceof HTMLElement) focused.focus();
  return done;
}
