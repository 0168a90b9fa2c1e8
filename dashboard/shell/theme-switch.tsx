import { effect } from '@preact/signals';
import { Icon, type IconName } from '../components/icon.tsx';
import { stored } from '../state/stored.ts';

const themes = ['system', 'light', 'dark'] as const;
type Theme = (typeof themes)[number];

const isTheme = (value: unknown): value is Theme => themes.some((theme) => theme === value);

const theme = stored<Theme>('mayfly.theme', 'system', isTheme);

effect(() => {
  document.documentElement.dataset['theme'] = theme.value;
});

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
