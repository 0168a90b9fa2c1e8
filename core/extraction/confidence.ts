import type { Reason } from './types.ts';

/** Confidence that the best candidate needs, and its distance to the next. */
const CHOSEN = { least: 0.7, ahead: 0.15 };

/** To two places, as shown. */
export function round(confidence: number): number {
  return Math.round(confidence * 100) / 100;
}

export function sumOf(reasons: Reason[]): number {
  return reasons.reduce((sum, { weight }) => sum + weight, 0);
}

/** The best of candidates sorted by confidence, or null if none is certain enough. */
export function choose<T extends { confidence: number }>([best, next]: T[]): T | null {
  if (!best || best.confidence < CHOSEN.least) return null;
  const ahead = round(best.confidence - (next?.confidence ?? 0));
  return ahead >= CHOSEN.ahead ? best : null;
}
