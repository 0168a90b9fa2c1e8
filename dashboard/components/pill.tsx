import type { ComponentChildren } from 'preact';

export type PillTone = 'good' | 'bad' | 'warn' | 'plain';

export function Pill({ tone, children }: { tone: PillTone; children: ComponentChildren }) {
  return <span class={`pill pill-${tone}`}>{children}</span>;
}
