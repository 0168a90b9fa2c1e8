import { groupKey, labelCounts, labelFilter, labelKeys } from '../state/labels.ts';

/** Filters and groups the mailboxes by label. Absent while no mailbox has a label. */
export function LabelTools() {
  const filter = labelFilter.value;
  const counts = labelCounts.value;
  if (counts.length === 0 && filter === null) return null;
  const isUnused = filter !== null && !counts.some(([label]) => label === filter);
  return (
    <div class="label-tools">
      <select
        aria-label="Filter by label"
        value={filter ?? ''}
        onChange={(event) => {
          labelFilter.value = event.currentTarget.value || null;
        }}
      >
        <option value="">All labels</option>
        {isUnused && <option value={filter}>{filter} (0)</option>}
        {counts.map(([label, count]) => (
          <option key={label} value={label}>
            {label} ({count})
          </option>
        ))}
      </select>
      <select
        aria-label="Group by label"
        value={labelKeys.value.includes(groupKey.value) ? groupKey.value : ''}
        onChange={(event) => {
          groupKey.value = event.currentTarget.value;
        }}
      >
        <option value="">No groups</option>
        {labelKeys.value.map((key) => (
          <option key={key} value={key}>
            By {key}
          </option>
        ))}
      </select>
    </div>
  );
}
