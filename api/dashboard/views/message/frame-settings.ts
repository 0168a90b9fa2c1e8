/** How mails are looked at; kept from one message to the next. */
import { signal } from '@preact/signals';

export const isPhoneWide = signal(false);

/** The colours asked for; until then each mail has its own. */
export const wantsDark = signal<boolean | null>(null);

const systemDark = matchMedia('(prefers-color-scheme: dark)');

export function isDark(html: string): boolean {
  return wantsDark.value ?? isDarkByItself(html);
}

/** A frame of no origin follows the system alone, so other colours can only be had by turning them around. */
export function isTurned(html: string): boolean {
  return isDark(html) !== isDarkByItself(html);
}

function isDarkByItself(html: string): boolean {
  return systemDark.matches && /color-scheme/i.test(html);
}

/** Whether it asks for anything from elsewhere; a hint for people, while the policy of the page decides. */
export function hasRemoteContent(html: string): boolean {
  return REMOTE.test(html);
}

const REMOTE =
  /<[a-z][^>]*?\b(?:src|srcset|background|poster)\s*=\s*["']?\s*(?:https?:)?\/\/|<link\b[^>]*?\bhref\s*=|url\(\s*["']?\s*(?:https?:)?\/\/|@import/i;
