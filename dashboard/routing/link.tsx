import type { ComponentProps } from 'preact';
import { go } from './routes.ts';

/** An in-app link. Modified clicks (new tab, new window) keep their browser behavior. */
export function ViewLink({ href, onClick, ...rest }: ComponentProps<'a'> & { href: string }) {
  return (
    <a
      {...rest}
      href={href}
      onClick={(event) => {
        onClick?.(event);
        const elsewhere = event.metaKey || event.ctrlKey || event.shiftKey || event.altKey;
        if (event.defaultPrevented || elsewhere || event.button !== 0) return;
        event.preventDefault();
        go(href);
      }}
    />
  );
}
