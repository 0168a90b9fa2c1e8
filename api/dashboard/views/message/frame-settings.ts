/** How mails are looked at; kept from one message to the next. */
import { signal } from '@preact/signals';

export const isPhoneWide = signal(false);
export const isDark = signal(false);

/** Whether a mail has dark colours of its own. If not, dark clients turn its colours around. */
export function hasDarkStyles(html: string): boolean {
  return /prefers-color-scheme|color-scheme/i.test(html);
}

/** Whether it asks for anything from elsewhere; a hint for people, while the policy of the page decides. */
export function hasRemoteContent(html: string): boolean {
  return /<(?:img|link|source|video|audio|input|body|table|td|th)\b[^>]*?(?:src|srcset|href|background|poster)\s*=\s*["']?\s*(?:https?:)?\/\/|url\(\s*["']?\s*(?:https?:)?\/\/|@import/i.test(
    html,
  );
}
