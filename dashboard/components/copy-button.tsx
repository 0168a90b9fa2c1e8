import { useEffect, useState } from 'preact/hooks';
import { announce, toast } from '../state/toasts.ts';
import { copyText } from './copy-text.ts';
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
