import { useState } from 'preact/hooks';
import { visibleText } from '../../format/visible-text.ts';

const SHOWN = 3;

/** A line of recipients. A long list is collapsed until expanded. */
export function Addresses({ label, addresses }: { label: string; addresses: string[] }) {
  const [showsAll, setShowsAll] = useState(false);
  if (addresses.length === 0) return null;
  const shown = showsAll ? addresses : addresses.slice(0, SHOWN);
  const more = addresses.length - shown.length;
  return (
    <p class="recipients">
      <span class="recipients-label">{label}</span>{' '}
      {shown.map((address, index) => (
        <span key={index}>
          <bdi>{visibleText(address)}</bdi>
          {index < shown.length - 1 && ', '}
        </span>
      ))}
      {more > 0 && (
        <button
          type="button"
          class="text-button"
          onClick={() => {
            setShowsAll(true);
          }}
        >
          and {more} more
        </button>
      )}
    </p>
  );
}
