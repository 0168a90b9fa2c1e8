import { Icon, type IconName } from '../components/icon.tsx';
import { type Theme, theme, themes } from '../state/theme.ts';

const looks: Record<Theme, { icon: IconName; label: string }> = {
  system: { icon: 'monitor', label: 'System' },
  light: { icon: 'sun', label: 'Light' },
  dark: { icon: 'moon', label: 'Dark' },
};

export function ThemeSwitch() {
  return (
    <fieldset class="theme-switch">
      <legend class="visually-hidden">Colour theme</legend>
      {themes.map((one) => (
        <label key={one} title={looks[one].label}>
          <input
            type="radio"
            name="theme"
            class="visually-hidden"
            checked={theme.value === one}
            onChange={() => {
              theme.value = one;
            }}
          />
          <Icon name={looks[one].icon} />
          <span class="visually-hidden">{looks[one].label}</span>
        </label>
      ))}
    </fieldset>
  );
}
