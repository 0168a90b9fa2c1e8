import type { Config } from './config.js';

export type Plan = 'free' | 'pro';

export const planNames: Record<Plan, string> = { free: 'Free', pro: 'Pro' };

/** How many mailboxes a workspace of this plan may have; null when there is no limit. */
export function mailboxLimit(config: Pick<Config, 'mailboxLimits'>, plan: Plan): number | null {
  return config.mailboxLimits[plan] || null;
}

/** Custom mailbox names are for Pro (interface, "Limits"). */
export function allowsCustomNames(plan: Plan): boolean {
  return plan === 'pro';
}
