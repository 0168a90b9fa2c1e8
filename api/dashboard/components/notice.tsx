import type { ComponentChildren } from 'preact';
import { Icon, type IconName } from './icon.js';

/** Stands where there is nothing to show, and says what can be done. */
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
