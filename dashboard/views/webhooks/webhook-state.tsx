import { Pill } from '../../components/pill.tsx';
import type { Webhook } from '../../rest/shapes.ts';

export function WebhookState({ webhook: { active, failingSince } }: { webhook: Webhook }) {
  if (!active) return <Pill tone="warn">Paused</Pill>;
  if (failingSince !== null) return <Pill tone="bad">Failing</Pill>;
  return <Pill tone="good">Active</Pill>;
}
