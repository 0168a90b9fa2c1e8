/** Display settings for mails, shared by all messages. */
import { signal } from '@preact/signals';

export const isPhoneWide = signal(false);

/** The requested colour scheme; null lets each mail use its own. */
export const wantsDark = signal<boolean | null>(null);

const systemDark = matchMedia('(prefers-color-scheme: dark)');

export function isDark(html: string): boolean {
  return wantsDark.value ?? isDarkByItself(html);
}

/**
 * A sandboxed frame follows the system colour scheme only, so the other scheme requires inverting
 * the colours.
 */
export function isTurned(html: string): boolean {
  return isDark(html) !== isDarkByItself(html);
}

function isDarkByItself(html: string): boolean {
  return systemDark.matches && /color-scheme/i.test(html);
}

/**
 * Whether the HTML refers to remote content. Only a hint for the user; the Content-Security-Policy
 * enforces it.
 */
export function hasRemoteContent(html: string): boolean {
  return REMOTE.test(html);
}

const REMOTE =
  /<[a-z][^>]*?\b(?:src|srcset|background|poster)\s*=\s*["']?\s*(?:https?:)?\/\/|<link\b[^>]*?\bhref\s*=|url\(\s*["']?\s*(?:https?:)?\/\/|@import/i;
