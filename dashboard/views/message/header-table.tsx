import { useMemo } from 'preact/hooks';
import { Failure, Skeleton } from '../../components/placeholders.tsx';
import { headerFields } from '../../format/header-fields.ts';
import { visibleText } from '../../format/visible-text.ts';
import { useRaw } from './use-raw.ts';

export function HeaderTable({ name, id }: { name: string; id: string }) {
  const { value, error, reload } = useRaw(name, id);
  const fields = useMemo(() => (value ? headerFields(value.text) : []), [value]);
  if (error) {
    return <Failure title="The headers could not be loaded" error={error} onRetry={reload} />;
  }
  if (!value) return <Skeleton lines={6} />;
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
                <bdi>{visibleText(field.value)}</bdi>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
