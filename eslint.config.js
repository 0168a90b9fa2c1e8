import eslint from '@eslint/js';
import prettier from 'eslint-config-prettier';
import { defineConfig } from 'eslint/config';
import tseslint from 'typescript-eslint';

const boundStore = {
  selector:
    "MemberExpression[property.name='db']:matches([object.name='store'], [object.property.name='store'])",
  message: 'Ask through store.ask or store.read: store.db neither retries nor maps errors.',
};

export default defineConfig(
  { ignores: ['**/*.gen.ts', '**/dist/', 'node_modules/', '.node/', 'data/', 'coverage/'] },
  eslint.configs.recommended,
  tseslint.configs.strictTypeChecked,
  {
    languageOptions: {
      parserOptions: {
        projectService: {
          allowDefaultProject: [
            'eslint.config*.js',
            '.dependency-cruiser*.js',
            'packages/vite.config.ts',
          ],
        },
      },
    },
    rules: {
      // Numbers and ids read well in template strings; objects do not, and stay forbidden.
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      // An async function that awaits nothing still satisfies an asynchronous contract.
      '@typescript-eslint/require-await': 'off',
      // winston types its own transports as another class than the one it asks for.
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
      '@typescript-eslint/consistent-type-imports': 'error',
      // There are no enums, and the rule takes an eighth of the time.
      '@typescript-eslint/no-unsafe-enum-assignment': 'off',
    },
  },
  {
    // The environment is read in one place only.
    files: ['core/**', 'db/**', 'jobs/**', 'api/**', 'haraka-plugin/**'],
    rules: {
      'no-restricted-properties': [
        'error',
        {
          object: 'process',
          property: 'env',
          message: 'Read the environment in core/config/config.ts.',
        },
      ],
    },
  },
  {
    files: ['core/**', 'jobs/**', 'api/**', 'haraka-plugin/**', 'scripts/**'],
    rules: { 'no-restricted-syntax': ['error', boundStore] },
  },
  {
    // core/auth/transaction-as.ts rejects changes of a caller whose token is revoked.
    files: ['core/**', 'api/**'],
    ignores: [
      'core/auth/transaction-as.ts',
      // These work without a caller.
      'core/directory/sources.ts',
      'core/retention/delete-workspace.ts',
      'core/ingest/writer.ts',
      'core/retention/expire-mailboxes.ts',
      'core/retention/limit-mailboxes.ts',
      'core/retention/purge.ts',
      'core/search/index-mails.ts',
      // Its job works after the request that asked for it.
      'core/delivery/recover.ts',
      'core/auth/last-used.ts',
      'core/workspaces/workspaces.ts',
    ],
    rules: {
      'no-restricted-syntax': [
        'error',
        boundStore,
        {
          selector: "MemberExpression[property.name='transaction']",
          message:
            'Change the database through transactionAs, or list the file as one without a caller.',
        },
      ],
    },
  },
  {
    // Entry files hand the environment to readConfig.
    files: ['core/config/config.ts', 'core/process/run-process.ts', 'db/drizzle.config.ts'],
    rules: { 'no-restricted-properties': 'off' },
  },
  {
    // Chai's property assertions are expressions by design; answers are what the tests assert the
    // shape of.
    files: ['test/**'],
    rules: {
      '@typescript-eslint/no-unused-expressions': 'off',
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
    },
  },
  {
    // They run before a build, change parsed documents of any shape, or show plain JavaScript.
    files: [
      'scripts/bundle.mjs',
      'packages/client/*.mjs',
      'examples/**/*.js',
      'haraka-plugin/plugins/**',
    ],
    extends: [tseslint.configs.disableTypeChecked],
    languageOptions: {
      parserOptions: { projectService: false },
      globals: { console: 'readonly', exports: 'readonly', process: 'readonly', URL: 'readonly' },
    },
  },
  {
    files: ['examples/**/*.cy.js'],
    languageOptions: { globals: { cy: 'readonly', it: 'readonly' } },
  },
  prettier,
);
