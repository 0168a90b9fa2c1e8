/** The rules that need no types, for a quick check of changed files: scripts/check. */
import tseslint from 'typescript-eslint';
import config from './eslint.config.js';

export default [
  ...config,
  tseslint.configs.disableTypeChecked,
  { languageOptions: { parserOptions: { projectService: false } } },
];
