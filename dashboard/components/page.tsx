import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { IconLink } from './button.tsx';

/** A one-column view: heading, actions, content. */
export function Page({
  title,
  lead,
  back,
  actions,
  children,
}: {
  title: ComponentChildren;
  lead?: ComponentChildren;
  /** Target of the back arrow beside the heading. */
  back?: { href: string; label: string; onlyNarrow?: boolean };
  actions?: ComponentChildren;
  children: ComponentChildren;
}) {
  return (
    <div class="page">
      <header class="page-head">
        {back && (
          <IconLink
            icon="back"
            href={back.href}
            label={back.label}
            class={`page-back ${back.onlyNarrow === true ? 'only-narrow' : ''}`}
          />
        )}
        <div class="page-title">
          <h1>{title}</h1>
          {lead !== undefined && <p>{lead}</p>}
        </div>
        {actions !== undefined && <div class="row page-actions">{actions}</div>}
      </header>
      {children}
    </div>
  );
}

/** Sets the document title while the view is mounted. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Mayfly`;
  }, [title]);
}
