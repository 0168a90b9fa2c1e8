import { type ChildProcess, spawn } from 'node:child_process';

/**
 * Starts a Procfile's command: in a shell that steps aside for it, at the head of its own process
 * group, with a channel on which it tells that it is ready and learns that we are gone.
 */
export function spawnCommand(command: string, env: NodeJS.ProcessEnv): ChildProcess {
  return spawn('sh', ['-c', `exec ${command}`], {
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
}
