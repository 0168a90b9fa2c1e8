import { CopyButton } from '../../components/copy-button.tsx';
import { Icon } from '../../components/icon.tsx';
import { Failure, Skeleton } from '../../components/placeholders.tsx';
import { bytes } from '../../format/bytes.ts';
import { rawPath } from '../../rest/paths.ts';
import { useRaw } from './use-raw.ts';

export function RawSource({ name, id, size }: { name: string; id: string; size: number }) {
  const { value, error, reload } = useRaw(name, id);
  if (error) {
    return <Failure title="The source could not be loaded" error={error} onRetry={reload} />;
  }
  if (!value) return <Skeleton lines={10} />;
  return (
    <>
      <div class="source-bar">
        <span>
          {bytes(size)}
          {!value.whole && ', beginning only'}
        </span>
        <CopyButton text={value.text} label="Copy the source" words="Copy" />
        <a class="button button-plain" href={rawPath(name, id)} download>
          <Icon name="download" />
          <span>Download</span>
        </a>
      </div>
      <pre class="source" tabIndex={0} aria-label="Source of the message">
        {value.text}
      </pre>
    </>
  );
}
