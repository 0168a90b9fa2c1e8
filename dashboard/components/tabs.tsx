import { useRef } from 'preact/hooks';

export interface Tab<Name extends string> {
  name: Name;
  label: string;
  disabled?: boolean;
}

/**
 * Tabs after the ARIA pattern: arrow keys move between tabs; only the current tab is in the tab
 * order.
 */
export function Tabs<Name extends string>({
  label,
  tabs,
  current,
  onChange,
  panel,
}: {
  label: string;
  tabs: Tab<Name>[];
  current: Name;
  onChange: (name: Name) => void;
  /** Id of the tab panel. */
  panel: string;
}) {
  const list = useRef<HTMLDivElement>(null);
  const enabled = tabs.filter(({ disabled }) => disabled !== true);
  const move = (by: number) => {
    const at = enabled.findIndex(({ name }) => name === current);
    const next = enabled[(at + by + enabled.length) % enabled.length];
    if (!next) return;
    onChange(next.name);
    list.current?.querySelector<HTMLElement>(`[data-tab="${next.name}"]`)?.focus();
  };
  return (
    <div
      class="tabs"
      role="tablist"
      aria-label={label}
      ref={list}
      onKeyDown={(event) => {
        if (event.key === 'ArrowRight') move(1);
        else if (event.key === 'ArrowLeft') move(-1);
        else return;
        event.preventDefault();
        event.stopPropagation();
      }}
    >
      {tabs.map((tab) => (
        <button
          key={tab.name}
          type="button"
          role="tab"
          data-tab={tab.name}
          disabled={tab.disabled === true}
          aria-selected={tab.name === current}
          aria-controls={panel}
          tabIndex={tab.name === current ? 0 : -1}
          onClick={() => {
            onChange(tab.name);
          }}
        >
          {tab.label}
        </button>
      ))}
    </div>
  );
}
