/**
 * The direction of imports (docs/architecture.md). `npm run lint:imports` fails on each import
 * against it.
 */

/** The subjects of core/ from the bottom up: a subject imports those before it only. */
const subjects = [
  'secrets',
  'config',
  'redis',
  'tls',
  'process',
  'limits',
  'events',
  'metrics',
  'egress',
  'queue',
  'blobs',
  'instance',
  'auth',
  'workspaces',
  'mailboxes',
  'smtp-credentials',
  'text',
  'extraction',
  'messages',
  'webhooks',
  'delivery',
  'mime',
  'ingest',
  'sending',
  'waits',
  'claims',
  'search',
  'retention',
];

/** These see every subject: the composition roots and the list of all jobs. */
const roots = '^core/(?:open-(?:front-)?context|job-contracts)\\.ts$';
/** The types of what the composition roots open, for every subject to name. */
const contextTypes = '^core/context\\.ts$';

const upwards = subjects.slice(0, -1).map((subject, rank) => ({
  name: `core/${subject}-imports-no-later-subject`,
  severity: 'error',
  from: { path: `^core/${subject}/` },
  to: { path: `^core/(?:${subjects.slice(rank + 1).join('|')})/` },
}));

/** Compiled into the dashboard and into the command line as well. */
const frameworkSettings = '^core/smtp-credentials/framework-settings\\.ts$';
/** The bridge of `mayfly mcp`, compiled into the command line as well. */
const mcpBridge = '^scripts/mcp/';

/**
 * @type {(name: string, from: string | object, to: string | object, comment?: string) => object}
 */
const never = (name, from, to, comment) => ({
  name,
  comment,
  severity: 'error',
  from: typeof from === 'string' ? { path: from } : from,
  to: typeof to === 'string' ? { path: to } : to,
});

export default {
  forbidden: [
    {
      name: 'no-cycles',
      severity: 'error',
      comment: 'A cycle of imports has no order in which its files can be read.',
      from: {},
      to: { circular: true, viaOnly: { pathNot: contextTypes } },
    },
    {
      name: 'every-subject-has-a-rank',
      severity: 'error',
      comment: 'List a new folder of core/ in .dependency-cruiser.js.',
      from: {},
      to: { path: '^core/[^/]+/', pathNot: `^core/(?:${subjects.join('|')})/` },
    },
    ...upwards,
    never(
      'core-ground-imports-no-subject',
      { path: '^core/[^/]+\\.ts$', pathNot: [roots, contextTypes, '^core/idempotency\\.ts$'] },
      '^core/[^/]+/',
      'Files beside the subjects are known by all subjects and know none.',
    ),
    never('only-entries-open-a-context', { path: '^(?:core|db)/', pathNot: roots }, roots),
    never('db-imports-nothing', '^db/', '^(?:core|api|jobs|haraka-plugin|scripts|test)/'),
    never('core-imports-no-process', '^core/', '^(?:api|jobs|haraka-plugin|scripts|test)/'),
    never('api-imports-core-only', '^api/', '^(?:db|jobs|haraka-plugin|scripts|test)/'),
    never('jobs-import-core-only', '^jobs/', '^(?:db|api|haraka-plugin|scripts|test)/'),
    never('smtp-imports-core-only', '^haraka-plugin/', '^(?:db|api|jobs|scripts|test)/'),
    never('scripts-do-not-import-tests', '^scripts/', '^test/'),
    never(
      'service-imports-no-package',
      '^(?:core|db|api|jobs|haraka-plugin|scripts)/',
      '^packages/',
      'The packages are clients of the service.',
    ),
    never(
      'framework-settings-import-nothing',
      frameworkSettings,
      '^(?:core|db|api|jobs|haraka-plugin|scripts|test|packages)/',
      'The dashboard and the command line both contain the settings of frameworks.',
    ),
    never('packages-import-no-service', '^packages/', {
      path: '^(?:core|db|api|jobs|haraka-plugin|scripts|test)/',
      pathNot: [frameworkSettings, mcpBridge],
    }),
    never(
      'mcp-bridge-imports-nothing',
      mcpBridge,
      { path: '^(?:core|db|api|jobs|haraka-plugin|scripts|test|packages)/', pathNot: mcpBridge },
      'The service and the command line both contain the bridge of `mayfly mcp`.',
    ),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '\\.gen\\.ts$' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
  },
};
