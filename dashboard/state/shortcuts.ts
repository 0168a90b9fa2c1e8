/** Single-key shortcuts. They are ignored while the user types and can be disabled. */
import { useEffect, useRef } from 'preact/hooks';
import { stored } from './stored.ts';

type Keys = Record<string, () => void>;

export const shortcutsOn = stored(
  'mayfly.shortcuts',
  true,
  (value): value is boolean => typeof value === 'boolean',
);

/** The most recent view handles keys first. */
const layers: { current: Keys }[] = [];

export function useShortcuts(keys: Keys): void {
  const latest = useRef(keys);
  latest.current = keys;
  useEffect(() => {
    layers.unshift(latest);
    return () => {
      layers.splice(layers.indexOf(latest), 1);
    };
  }, []);
}

addEventListener('keydown', (event) => {
  const { key, target } = event;
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
  if (document.querySelector('dialog[open]')) return;
  // WCAG 2.1.4 concerns character keys only; Escape and arrows stay active.
  if (key.length === 1 && (isTyping(target) || !shortcutsOn.value)) return;
  if (key !== 'Escape' && isTyping(target)) return;
  const layer = layers.find(({ current }) => Object.hasOwn(current, key));
  const act = layer?.current[key];
  if (!act) return;
  event.preventDefault();
  act();
});

function isTyping(target: EventTarget | null): boolean {
  const fields = "input:not([type='checkbox'], [type='radio']), textarea, select";
  return target instanceof HTMLElement && target.matches(fields);
}
