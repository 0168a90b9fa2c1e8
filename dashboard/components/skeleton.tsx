/** Grey placeholder lines shown while content loads. */
export function Skeleton({ lines, kind = 'text' }: { lines: number; kind?: 'text' | 'rows' }) {
  return (
    <div class={`skeleton skeleton-${kind}`} role="status" aria-label="Loading">
      {Array.from({ length: lines }, (_, line) => (
        <span key={line} />
      ))}
    </div>
  );
}
