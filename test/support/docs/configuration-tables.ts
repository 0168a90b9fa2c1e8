/** The tables of docs/configuration.md, from the schema that reads the environment. */
import { format, resolveConfig } from 'prettier';
import * as z from 'zod';
import { variables } from '../../../core/config/config.ts';

/** A table is between these lines of the page. The word names the subject of its variables. */
const TABLE = /^<!-- variables: (\w+) -->\n[^]*?^<!-- end -->$/gm;

/** The page with new tables, formatted by Prettier. */
export async function withConfigurationTables(page: string, path: string): Promise<string> {
  const written = page.replace(
    TABLE,
    (_, subject: string) => `<!-- variables: ${subject} -->\n\n${table(subject)}\n\n<!-- end -->`,
  );
  return format(written, { ...(await resolveConfig(path)), filepath: path });
}

function table(subject: string): string {
  const shape = (variables as Record<string, Record<string, z.ZodType>>)[subject];
  if (shape === undefined) throw new Error(`core/config has no variables of "${subject}"`);
  const rows = Object.entries(shape).map(([name, type]) => {
    const { description, fallback } = type.meta() ?? {};
    if (!description) throw new Error(`${name} has no description`);
    return [
      `\`${name}\``,
      typeof fallback === 'string' ? fallback : defaultOf(type),
      valuesOf(type),
      description,
    ];
  });
  const head = ['variable', 'default', 'values', 'meaning'];
  const cells = (row: string[]) =>
    `| ${row.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [head, head.map(() => '-'), ...rows].map(cells).join('\n');
}

function defaultOf(type: z.ZodType): string {
  return type instanceof z.ZodDefault ? `\`${String(type.def.defaultValue)}\`` : '-';
}

/** The values that the schema accepts, as text of its innermost type. */
function valuesOf(type: z.ZodType): string {
  const accepts = type.meta()?.accepts;
  if (typeof accepts === 'string') return accepts;
  if (type instanceof z.ZodDefault || type instanceof z.ZodOptional) {
    return valuesOf(type.def.innerType as z.ZodType);
  }
  if (type instanceof z.ZodEnum) return type.options.map((one) => `\`${one}\``).join(', ');
  return 'text';
}
