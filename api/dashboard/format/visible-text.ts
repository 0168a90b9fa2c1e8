/** Characters that turn the direction of what follows, or are not seen at all: they disguise names. */
const DISGUISING = /[\p{Cc}\p{Bidi_Control}\u2028\u2029\u200b\ufeff]/gu;

/** A name out of a mail, as it can be shown in a line of ours. */
export function visibleText(text: string): string {
  return text.replaceAll('\t', ' ').replace(DISGUISING, '').trim();
}
