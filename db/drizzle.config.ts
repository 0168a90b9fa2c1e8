import { defineConfig } from 'drizzle-kit';

const dialect = process.env.DIALECT === 'postgres' ? 'postgres' : 'sqlite';

export default defineConfig({
  dialect: dialect === 'postgres' ? 'postgresql' : 'sqlite',
  schema: `./db/schema/tables.${dialect}.ts`,
  out: process.env.MIGRATIONS_OUT ?? `./db/migrations/${dialect}`,
});
