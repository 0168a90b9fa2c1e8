import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { route } from '../routing/location.ts';

/**
 * If a view change removes the focused element, focuses the container of the new view. Attach the
 * ref to that container.
 */
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
