/** Prefixes output lines with the name of their process, aligned to the longest name. */
export function prefixedPrinter(names: string[]): (name: string) => (line: string) => void {
  const width = Math.max(...names.map((name) => name.length));
  return (name) => {
    const prefix = `${name.padEnd(width)} | `;
    return (line) => process.stdout.write(`${prefix}${line}\n`);
  };
}
