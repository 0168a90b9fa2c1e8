import type { ComponentChildren, ComponentProps } from 'preact';
import { Link } from '../routing/link.tsx';
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
    <Link href={href} class={`button button-${tone}`}>
      {icon && <Icon name={icon} />}
      <span>{children}</span>
    </Link>
  );
}
