import { CopyButton } from './copy-button.tsx';
import { Icon } from './icon.tsx';

/** A secret that the API returns only once. */
export function Secret({
  title,
  value,
  label,
  onDone,
}: {
  title: string;
  value: string;
  label: string;
  onDone: () => void;
}) {
  return (
    <section class="secret" aria-label={title}>
      <h2>
        <Icon name="key" />
        {title}
      </h2>
      <p>It is not shown again. Copy it now and store it in a safe place.</p>
      <div class="secret-value">
        <code>{value}</code>
      </div>
      <div class="row">
        <CopyButton text={value} label={`Copy ${label}`} words="Copy" tone="main" />
        <button type="button" class="button button-plain" onClick={onDone}>
          <span>I have saved it</span>
        </button>
      </div>
    </section>
  );
}
