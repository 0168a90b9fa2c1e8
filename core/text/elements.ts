/** The elements of HTML by what they do to the text around and inside them. */

/** Their content is not shown as text. */
export const SILENT = new Set([
  'head',
  'style',
  'script',
  'template',
  'title',
  'noscript',
  'object',
  'svg',
  'select',
  'iframe',
  'audio',
  'video',
]);

/** They are part of a line; every other element begins and ends one. */
export const INLINE = new Set([
  'a',
  'abbr',
  'b',
  'bdi',
  'bdo',
  'big',
  'cite',
  'code',
  'em',
  'font',
  'i',
  'img',
  'ins',
  'kbd',
  'label',
  'mark',
  'q',
  's',
  'samp',
  'small',
  'span',
  'strike',
  'strong',
  'sub',
  'sup',
  'tt',
  'u',
  'var',
  'wbr',
  'del',
  'area',
  'map',
  'o:p',
  'script',
  'style',
  'template',
  'link',
  'meta',
  'base',
]);

/** They have no content and no end tag. */
export const VOID = new Set([
  'area',
  'base',
  'br',
  'col',
  'embed',
  'hr',
  'img',
  'input',
  'link',
  'meta',
  'source',
  'wbr',
]);

/** Their content is read as characters up to their end tag. */
export const RAW = new Set([
  'script',
  'style',
  'title',
  'textarea',
  'xmp',
  'iframe',
  'noembed',
  'noframes',
  'plaintext',
]);

/** Browsers show an empty line before and after them. */
export const SPACED = new Set([
  'p',
  'h1',
  'h2',
  'h3',
  'h4',
  'h5',
  'h6',
  'ul',
  'ol',
  'dl',
  'blockquote',
  'pre',
  'table',
  'hr',
]);
