/** The Procfile: one `name: command` a line, as Heroku and its kin read it. */

/** What a Procfile names: the command to run before a start, and the processes to keep running. */
export interface Procfile {
  release: string | null;
  processes: Map<string, string>;
}

/** Reads the text of a Procfile; blank lines and lines that begin with `#` mean nothing. */
export function parseProcfile(text: string): Procfile {
  const processes = new Map<string, string>();
  for (const line of text.split('\n').map((raw) => raw.trim())) {
    if (!line || line.startsWith('#')) continue;
    const [, name, command] = /^([A-Za-z0-9_-]+):\s*(.+)$/.exec(line) ?? [];
    if (!name || !command) throw new Error(`not a Procfile line: ${line}`);
    processes.set(name, command);
  }
  const release = processes.get('release') ?? null;
  processes.delete('release');
  return { release, processes };
}
