/**
 * Writes dist/NAME.mjs for each entry that is CommonJS too: an ES module with its exports. A
 * program that loads both forms has each class once, and the package holds its code once.
 */
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
for (const name of ['index', 'cypress', 'playwright', 'server', 'set-up', 'snapshot']) {
  const entry = require(`./dist/${name}.js`);
  const named = `export const { ${Object.keys(entry).sort().join(', ')} } = entry;`;
  // What has a default export only is that export.
  const exported = typeof entry === 'function' ? 'export default entry;' : named;
  writeFileSync(
    new URL(`dist/${name}.mjs`, import.meta.url),
    `import entry from './${name}.js';\n${exported}\n`,
  );
}
