import { defineConfig } from 'drizzle-kit';

const dialect = process.env.DIALECT === 'postgres' ? 'postgres' : 'sqlite';

export default defineConfig({
  dialect: dialect === 'postgres' ? 'postgresql' : 'sqlite',
  schema: `./dist/db/schema/tables.${dialect}.js`,
  out: process.env.MIGRATIONS_OUT ?? `./db/migrations/${dialect}`,
});
