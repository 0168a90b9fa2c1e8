import type { ComponentProps } from 'preact';
import { Link } from '../routing/link.tsx';
import { Icon, type IconName } from './icon.tsx';

/** A button with an icon only. The label is its accessible name and tooltip. */
export function IconButton({
  icon,
  label,
  pressed,
  ...rest
}: { icon: IconName; label: string; pressed?: boolean } & Omit<
  ComponentProps<'button'>,
  'icon' | 'label'
>) {
  return (
    <button
      type="button"
      {...rest}
      class={`icon-button ${(rest.class as string | undefined) ?? ''}`}
      aria-label={label}
      title={label}
      {...(pressed === undefined ? {} : { 'aria-pressed': pressed })}
    >
      <Icon name={icon} />
    </button>
  );
}

export function IconLink({
  icon,
  label,
  href,
  class: extra,
}: {
  icon: IconName;
  label: string;
  href: string;
  class?: string;
}) {
  return (
    <Link href={href} class={`icon-button ${extra ?? ''}`} aria-label={label} title={label}>
      <Icon name={icon} />
    </Link>
  );
}
