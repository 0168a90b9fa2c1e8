import { spawn } from 'node:child_process';
import { once } from 'node:events';

/**
 * Opens a URL with `BROWSER`, or as the platform does. @throws if the program cannot be started.
 */
export async function openBrowser(url: string, env: NodeJS.ProcessEnv): Promise<void> {
  const [program, ...args] = opener(env);
  const child = spawn(program, [...args, url], { stdio: 'ignore', detached: true });
  await once(child, 'spawn');
  child.unref();
}

function opener(env: NodeJS.ProcessEnv): [string, ...string[]] {
  if (env['BROWSER']) return [env['BROWSER']];
  if (process.platform === 'darwin') return ['open'];
  if (process.platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler'];
  return ['xdg-open'];
}
