import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { route } from '../routing/location.js';

/** Where the view changes and takes the focus with it, the new one gets it: the ref is that of its place. */
export function useKeptFocus(): RefObject<HTMLElement | null> {
  const place = useRef<HTMLElement>(null);
  const { view } = route.value;
  useEffect(() => {
    const { activeElement } = document;
    const isLost = activeElement === document.body || activeElement?.checkVisibility() === false;
    if (isLost) place.current?.focus({ preventScroll: true });
  }, [view]);
  return place;
}
