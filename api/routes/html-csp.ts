/**
 * What the HTML of a mail may do in the frame that shows it (W3C Content Security Policy Level 3): look as its
 * author meant it to. It comes from anybody, so nothing in it runs, is sent or leads the frame elsewhere; what
 * opens a window of its own is a link that somebody followed, and that window is an ordinary one.
 */
const ALWAYS = [
  'sandbox allow-popups allow-popups-to-escape-sandbox',
  "default-src 'none'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'self'",
];

/** The policy; with `remote`, pictures, styles, fonts and sound may come from wherever the mail says. */
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
