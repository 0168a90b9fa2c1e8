import type { ComponentChildren, ComponentProps } from 'preact';
import { ViewLink } from '../routing/link.tsx';
import { Icon, type IconName } from './icon.tsx';

type Tone = 'plain' | 'main' | 'danger' | 'quiet';

interface Look {
  tone?: Tone;
  icon?: IconName;
  children: ComponentChildren;
}

/** A button with a text label. `busy` disables it and sets `aria-busy`. */
export function Button({
  tone = 'plain',
  icon,
  busy = false,
  children,
  ...rest
}: Look & { busy?: boolean } & Omit<ComponentProps<'button'>, 'icon'>) {
  return (
    <button
      type="button"
      {...rest}
      class={`button button-${tone} ${(rest.class as string | undefined) ?? ''}`}
      aria-busy={busy}
      disabled={busy || rest.disabled === true}
    >
      {icon && <Icon name={icon} />}
      <span>{children}</span>
    </button>
  );
}

/** A link styled as a button. */
export function ButtonLink({ tone = 'plain', icon, children, href }: Look & { href: string }) {
  return (
    <ViewLink href={href} class={`button button-${tone}`}>
      {icon && <Icon name={icon} />}
      <span>{children}</span>
    </ViewLink>
  );
}

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
    <ViewLink href={href} class={`icon-button ${extra ?? ''}`} aria-label={label} title={label}>
      <Icon name={icon} />
    </ViewLink>
  );
}
