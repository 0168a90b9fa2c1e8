/**
 * Shows the HTML of a mail in the dark or light colors that a reader chose. A sandboxed frame
 * follows the system only, so the choice is written into the page (Media Queries Level 5 section
 * 11.5, CSS Color Adjustment section 2).
 */

export type ColorScheme = 'light' | 'dark';

/** A media query for a scheme, or a property that names the dark one. */
const OWN_SCHEMES = /prefers-color-scheme|color-scheme[^;{}<>]{0,64}\bdark\b/i;

/** Where media queries stand. A part without an end is the rest: no byte is read twice. */
const QUERIES = /<style\b[\s\S]*?(?:<\/style|$)|\bmedia\s*=\s*(?:"[^"]*"|'[^']*')/gi;
const PREFERENCE = /\(\s*prefers-color-scheme\s*:\s*(light|dark)\s*\)/gi;
/** Media features that are always and never true. */
const TRUE = '(min-width: 0)';
const FALSE = '(max-width: -1px)';

/**
 * Inverts what is below a layer over the page, as dark mail readers do. Pictures lie above the
 * layer: inverting them twice would clip their colors.
 */
const INVERTED = `<style>
html::after { content: "" !important; position: fixed !important; inset: 0 !important;
  z-index: 2147483646 !important; pointer-events: none !important;
  backdrop-filter: invert(0.91) hue-rotate(180deg) !important }
:where(img, video, input[type=image]) { position: relative }
img, video, input[type=image] { z-index: 2147483647 !important }
</style>`;

/**
 * The HTML in the scheme, and what its head needs for that. A mail with schemes uses its own;
 * another one is light, or inverted.
 */
export function inScheme(html: string, scheme: ColorScheme): { html: string; head: string } {
  if (!OWN_SCHEMES.test(html)) return { html, head: scheme === 'dark' ? INVERTED : '' };
  const chosen = html.replace(QUERIES, (part) =>
    part.replace(PREFERENCE, (_query, preferred: string) =>
      preferred.toLowerCase() === scheme ? TRUE : FALSE,
    ),
  );
  return { html: chosen, head: `<style>:root { color-scheme: ${scheme} !important }</style>` };
}
