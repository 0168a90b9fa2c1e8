/** The Procfile format of Heroku: one `name: command` a line. */

/** The release command, and the processes to keep running. */
export interface Procfile {
  release: string | null;
  processes: Map<string, string>;
}

/** Parses a Procfile. Blank lines and lines that start with `#` are ignored. */
export function parseProcfile(text: string): Procfile {
  const processes = new Map<string, string>();
  for (const line of text.split('\n').map((raw) => raw.trim())) {
    if (!line || line.startsWith('#')) continue;
    const [, name, command] = /^([A-Za-z0-9_-]+):\s*(.+)$/.exec(line) ?? [];
    if (!name || !command) throw new Error(`invalid line in Procfile: ${line}`);
    processes.set(name, command);
  }
  const release = processes.get('release') ?? null;
  processes.delete('release');
  return { release, processes };
}
