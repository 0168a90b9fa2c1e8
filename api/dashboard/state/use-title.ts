import { useEffect } from 'preact/hooks';

/** The title of the document while this view is shown. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Mayfly`;
  }, [title]);
}
