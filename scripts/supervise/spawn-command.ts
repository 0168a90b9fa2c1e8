import { type ChildProcess, spawn } from 'node:child_process';

/**
 * Starts a Procfile command in a shell that execs it, as the leader of its own process group. Over
 * the IPC channel the child reports readiness and notices when this process exits.
 */
export function spawnCommand(command: string, env: NodeJS.ProcessEnv): ChildProcess {
  return spawn('sh', ['-c', withExec(command)], {
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
}

/**
 * Mayfly's Procfile has `exec` in each line, for runners that signal the shell; another Procfile
 * may not.
 */
function withExec(command: string): string {
  return /^exec\s/.test(command) ? command : `exec ${command}`;
}
