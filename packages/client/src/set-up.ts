/** The global set-up of Playwright and of Vitest: one Mayfly for the run. */
import { startMayfly } from './server/index.ts';

/**
 * Starts Mayfly and sets `MAYFLY_URL`, `MAYFLY_TOKEN` and `SMTP_URL`. An `SMTP_URL` that is set
 * decides the port. With `MAYFLY_URL` and `MAYFLY_TOKEN`, it starts nothing.
 * @returns what stops it
 */
export default async function setUp(): Promise<() => Promise<void>> {
  const { env } = process;
  if (env.MAYFLY_URL && env.MAYFLY_TOKEN) return () => Promise.resolve();
  const port = env.SMTP_URL ? new URL(env.SMTP_URL).port : '';
  const { url, token, smtp, stop } = await startMayfly(port ? { env: { SMTP_PORT: port } } : {});
  Object.assign(env, { MAYFLY_URL: url, MAYFLY_TOKEN: token });
  env.SMTP_URL ||= smtp.url;
  return stop;
}
