import { CopyButton } from '../../components/copy-button.tsx';
import { Icon } from '../../components/icon.tsx';
import { Failure, Skeleton } from '../../components/placeholders.tsx';
import { bytes } from '../../format/bytes.ts';
import { removeDisguise } from '../../format/visible-text.ts';
import { getHeaders, readRaw } from '../../rest/messages.ts';
import { rawPath } from '../../rest/paths.ts';
import { useLoaded } from '../../state/requests.ts';

/** The source view shows the first 256 KB. */
const SHOWN_BYTES = 262_144;

export function RawSourceView({ name, id, size }: { name: string; id: string; size: number }) {
  const { value, error, reload } = useLoaded(id, (signal) =>
    readRaw(name, id, SHOWN_BYTES, signal),
  );
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

export function HeaderTable({ name, id }: { name: string; id: string }) {
  const { value: fields, error, reload } = useLoaded(id, (signal) => getHeaders(name, id, signal));
  if (error) {
    return <Failure title="The headers could not be loaded" error={error} onRetry={reload} />;
  }
  if (!fields) return <Skeleton lines={6} />;
  return (
    <div class="scroll-x" tabIndex={0} role="region" aria-label="Header fields">
      <table class="header-table">
        <thead class="visually-hidden">
          <tr>
            <th scope="col">Field</th>
            <th scope="col">Value</th>
          </tr>
        </thead>
        <tbody>
          {fields.map((field, index) => (
            <tr key={index}>
              <th scope="row">{field.name}</th>
              <td>
                <bdi>{removeDisguise(field.value)}</bdi>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
