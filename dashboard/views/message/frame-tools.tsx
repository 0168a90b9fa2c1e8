import { IconButton } from '../../components/button.tsx';
import { isDark, isPhoneWide, wantsDark } from './frame-settings.ts';

export function FrameTools({ html }: { html: string }) {
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
        icon="moon"
        label="Dark colours"
        pressed={isDark(html)}
        onClick={() => {
          wantsDark.value = !isDark(html);
        }}
      />
    </div>
  );
}
