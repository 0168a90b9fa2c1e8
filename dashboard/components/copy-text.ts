/**
 * Copies text to the clipboard. Browsers provide the Clipboard API only on HTTPS pages and
 * localhost.
 */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyBySelection(text);
  }
}

function copyBySelection(text: string): boolean {
  const field = document.createElement('textarea');
  field.value = text;
  field.className = 'visually-hidden';
  const place = document.querySelector('dialog[open]') ?? document.body;
  const focused = document.activeElement;
  place.append(field);
  field.select();
  // Deprecated, but the only method on a plain HTTP page.
  // eslint-disable-next-line @typescript-eslint/no-deprecated
  const done = document.execCommand('copy');
  field.remove();
  if (focused instanceof HTMLElement) focused.focus();
  return done;
}
