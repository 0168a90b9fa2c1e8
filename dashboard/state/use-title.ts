import { useEffect } from 'preact/hooks';

/** Sets the document title while the view is mounted. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Mayfly`;
  }, [title]);
}
