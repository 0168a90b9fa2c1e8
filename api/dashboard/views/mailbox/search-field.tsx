import { useRef } from 'preact/hooks';
import { Icon } from '../../components/icon.js';
import { IconButton } from '../../components/icon-button.js';
import { useShortcuts } from '../../state/shortcuts.js';

/** Searches the loaded messages. */
export function SearchField({
  query,
  onChange,
}: {
  query: string;
  onChange: (query: string) => void;
}) {
  const input = useRef<HTMLInputElement>(null);
  useShortcuts({ '/': () => input.current?.focus() });
  return (
    <div class="search" role="search">
      <Icon name="search" />
      <input
        ref={input}
        type="search"
        value={query}
        placeholder="Search"
        aria-label="Search messages"
        aria-keyshortcuts="/"
        onInput={(event) => {
          onChange(event.currentTarget.value);
        }}
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return;
          event.preventDefault();
          onChange('');
          event.currentTarget.blur();
        }}
      />
      {query === '' ? (
        <kbd aria-hidden="true">/</kbd>
      ) : (
        <IconButton
          icon="close"
          label="Clear search"
          onClick={() => {
            onChange('');
          }}
        />
      )}
    </div>
  );
}
