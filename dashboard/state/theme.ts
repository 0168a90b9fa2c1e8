import { effect } from '@preact/signals';
import { stored } from './stored.ts';

export const themes = ['system', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];

const isTheme = (value: unknown): value is Theme => themes.some((theme) => theme === value);

export const theme = stored<Theme>('mayfly.theme', 'system', isTheme);

effect(() => {
  document.documentElement.dataset['theme'] = theme.value;
});
