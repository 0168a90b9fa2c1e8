import { CopyButton } from './copy-button.js';
import { Icon } from './icon.js';

/** A value that is shown this once. */
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
      <p>It is shown this once. Copy it now and keep it where secrets are kept.</p>
      <div class="secret-value">
        <code>{value}</code>
      </div>
      <div class="row">
        <CopyButton text={value} label={`Copy ${label}`} words="Copy" tone="main" />
        <button type="button" class="button button-plain" onClick={onDone}>
          <span>I have kept it</span>
        </button>
      </div>
    </section>
  );
}
