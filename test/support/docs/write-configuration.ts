/** `test/long configuration`: rewrites the tables of docs/configuration.md. */
import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { withConfigurationTables } from './configuration-tables.ts';

const path = resolve('docs/configuration.md');
writeFileSync(path, await withConfigurationTables(readFileSync(path, 'utf8'), path));
