/**
 * The Content-Security-Policy of the HTML view of a mail (W3C Content Security Policy Level 3). The
 * HTML is untrusted: it cannot run scripts, submit forms or navigate the frame. Links open in a new
 * window, which is not restricted.
 */
const ALWAYS = [
  'sandbox allow-popups allow-popups-to-escape-sandbox',
  "default-src 'none'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'self'",
];

/** The policy. With `remote`, pictures, styles, fonts and media can be loaded from any host. */
export function framePolicy(remote: boolean): string {
  const from = remote ? ' https: http:' : '';
  return [
    ...ALWAYS,
    `img-src data:${from}`,
    `style-src 'unsafe-inline'${from}`,
    `font-src data:${from}`,
    `media-src data:${from}`,
  ].join('; ');
}
