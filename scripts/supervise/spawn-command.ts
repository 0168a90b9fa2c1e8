import { type ChildProcess, spawn } from 'node:child_process';

/**
 * Starts a Procfile's command: in a shell that is replaced by it, at the head of its own process
 * group, with a channel on which it tells that it is ready and learns that we are gone.
 */
export function spawnCommand(command: string, env: NodeJS.ProcessEnv): ChildProcess {
  return spawn('sh', ['-c', withExec(command)], {
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
}

/** Our Procfile has `exec` in each line, for runners that signal their shell; another Procfile may lack it. */
function withExec(command: string): string {
  return /^exec\s/.test(command) ? command : `exec ${command}`;
}
