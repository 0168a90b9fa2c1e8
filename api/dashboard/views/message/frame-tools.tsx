import { IconButton } from '../../parts/icon-button.js';
import { isDarkByItself, isPhoneWide, isTurned } from './frame-settings.js';

export function FrameTools({ html }: { html: string }) {
  const isDark = isDarkByItself(html);
  return (
    <div class="row frame-tools">
      <IconButton
        icon="phone"
        label="Phone width"
        class="only-wide"
        pressed={isPhoneWide.value}
        onClick={() => {
          isPhoneWide.value = !isPhoneWide.value;
        }}
      />
      <IconButton
        icon={isDark ? 'sun' : 'moon'}
        label={isDark ? 'Light colours' : 'Dark colours'}
        pressed={isTurned.value}
        onClick={() => {
          isTurned.value = !isTurned.value;
        }}
      />
    </div>
  );
}
