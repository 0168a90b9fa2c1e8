/** Invisible characters and characters that change the text direction. Both can disguise a name. */
const DISGUISING = /[\p{Cc}\p{Bidi_Control}\u2028\u2029\u200b\ufeff]/gu;

/** Removes characters that would change how a name from a mail is displayed. */
export function removeDisguise(text: string): string {
  return text.replaceAll('\t', ' ').replace(DISGUISING, '').trim();
}
