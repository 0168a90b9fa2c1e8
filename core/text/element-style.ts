/** What the attributes of an element say about how a reader sees it. */

export interface ElementStyle {
  hidden: boolean;
  /** `font-size:0`: hides text unless an element inside sets a size again. */
  zeroSize: boolean;
  emphasized: boolean;
  /** The element sets a font size above zero. */
  sized: boolean;
  /** Whether whitespace is shown as it is; null if the element does not say so. */
  preformatted: boolean | null;
}

const PLAIN: ElementStyle = {
  hidden: false,
  zeroSize: false,
  emphasized: false,
  sized: false,
  preformatted: null,
};
const MAX_STYLE_LENGTH = 4096;
/** Pixels; body text of mails is 12 to 16 px. */
const LARGE = 20;
const PIXELS_PER: Record<string, number> = { px: 1, pt: 4 / 3, em: 16, rem: 16, '%': 0.16, '': 1 };
const LENGTH = /^(\d{0,6}(?:\.\d{0,6})?)\s?(px|pt|r?em|%|)/;
const STRONG_TAGS = new Set([
  'b',
  'strong',
  'h1',
  'h2',
  'h3',
  'code',
  'kbd',
  'samp',
  'big',
  'mark',
]);

/** Mails repeat the same styles; more different ones than this are read each time. */
const MAX_KNOWN = 1000;

/** Reads the elements of one mail. */
export class StyleReader {
  /** By tag, then by style. */
  readonly #known = new Map<string, Map<string, ElementStyle>>();
  #count = 0;

  of(tag: string, attributes: Record<string, string>): ElementStyle {
    const { style = '' } = attributes;
    const look = this.#known.get(tag)?.get(style) ?? this.#read(tag, style);
    return 'hidden' in attributes ? { ...look, hidden: true } : look;
  }

  #read(tag: string, style: string): ElementStyle {
    const look = lookOf(tag, style);
    if (this.#count < MAX_KNOWN) {
      const known = this.#known.get(tag) ?? new Map<string, ElementStyle>();
      this.#known.set(tag, known.set(style, look));
      this.#count += 1;
    }
    return look;
  }
}

function lookOf(tag: string, style: string): ElementStyle {
  const look: ElementStyle = { ...PLAIN, emphasized: STRONG_TAGS.has(tag) };
  if (tag === 'pre') look.preformatted = true;
  for (const declaration of style.slice(0, MAX_STYLE_LENGTH).toLowerCase().split(';')) {
    const colon = declaration.indexOf(':');
    if (colon < 0) continue;
    const value = declaration
      .slice(colon + 1)
      .replace('!important', '')
      .trim();
    apply(look, declaration.slice(0, colon).trim(), value);
  }
  return look;
}

function apply(look: ElementStyle, property: string, value: string): void {
  const length = lengthOf(value);
  if (property === 'display' && value === 'none') look.hidden = true;
  else if (property === 'visibility' && value === 'hidden') look.hidden = true;
  else if (property === 'mso-hide' && value === 'all') look.hidden = true;
  else if (property === 'max-height' && length === 0) look.hidden = true;
  else if (property === 'font-size' && length !== null) {
    look.zeroSize = length === 0;
    look.sized = length > 0;
    if (length >= LARGE) look.emphasized = true;
  } else if (property === 'font-weight') {
    if (value.startsWith('bold') || Number(value) >= 600) look.emphasized = true;
  } else if (property === 'letter-spacing' && length !== null && length >= 2) {
    look.emphasized = true;
  } else if (property === 'white-space') {
    look.preformatted = value.startsWith('pre') || value === 'break-spaces';
  } else if (property === 'font-family' && value.includes('monospace')) {
    look.emphasized = true;
  }
}

/** In pixels; null if the value is not a length. */
function lengthOf(value: string): number | null {
  const [, number = '', unit = ''] = LENGTH.exec(value) ?? [];
  return number === '' || number === '.' ? null : Number(number) * (PIXELS_PER[unit] ?? 1);
}
