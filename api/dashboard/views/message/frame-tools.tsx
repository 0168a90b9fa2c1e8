import { IconButton } from '../../parts/icon-button.js';
import { hasDarkStyles, isDark, isPhoneWide } from './frame-settings.js';

export function FrameTools({ html }: { html: string }) {
  const dark = hasDarkStyles(html)
    ? 'Dark colours, as the mail has them'
    : 'Dark colours: the mail has none, so its own are turned around';
  return (
    <div class="row frame-tools">
      <IconButton
        icon="phone"
        label="Phone width"
        pressed={isPhoneWide.value}
        onClick={() => {
          isPhoneWide.value = !isPhoneWide.value;
        }}
      />
      <IconButton
        icon="moon"
        label={dark}
        pressed={isDark.value}
        onClick={() => {
          isDark.value = !isDark.value;
        }}
      />
    </div>
  );
}
