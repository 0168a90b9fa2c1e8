import type { ComponentChildren } from 'preact';
import { Icon, type IconName } from './icon.tsx';

/** Placeholder for empty content, with the next possible action. */
export function Notice({
  icon,
  title,
  children,
}: {
  icon: IconName;
  title: string;
  children?: ComponentChildren;
}) {
  return (
    <div class="notice">
      <span class="notice-mark">
        <Icon name={icon} />
      </span>
      <h2>{title}</h2>
      {children}
    </div>
  );
}
