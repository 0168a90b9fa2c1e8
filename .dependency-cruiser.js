/**
 * The direction of imports (docs/architecture.md). `npm run check` fails on each import against it,
 * imports of types included.
 */

/**
 * The subjects of core/ from the bottom up, in floors. A subject imports the subjects before it
 * only.
 */
const floors = {
  'words and values': ['secrets', 'config', 'text', 'extraction'],
  wires: [
    ...['redis', 'tls', 'process', 'limits', 'events', 'metrics', 'egress', 'queue', 'blobs'],
    'instance',
  ],
  who: ['directory', 'auth', 'workspaces', 'mailboxes', 'smtp-credentials'],
  'the accepted mail': ['intake'],
  'the content': ['mime', 'messages', 'matching', 'search'],
  flows: ['webhooks', 'delivery', 'ingest', 'sending', 'waits', 'claims', 'retention'],
};
const subjects = Object.values(floors).flat();

/** The top floor of core/. It sees every subject. */
const compositionRoots = '^core/open-(?:front-)?context\\.ts$';
const topFloor =
  '^core/(?:context|job-contracts|open-(?:front-)?context|parser-child|reading-tasks)\\.ts$';
/** What smtp loads must not lead to the types of what it does not open. */
const withoutContext = `^core/(?:${[
  ...[...floors['words and values'], 'redis', 'tls', 'process', 'limits', 'events', 'metrics'],
  ...['egress', 'blobs', 'instance', 'directory', 'intake'],
].join('|')})/`;
const processes = 'api|jobs|haraka-plugin';

const upwards = subjects.slice(0, -1).map((subject, rank) => ({
  name: `core/${subject}-imports-no-later-subject`,
  severity: 'error',
  from: { path: `^core/${subject}/` },
  to: { path: `^core/(?:${subjects.slice(rank + 1).join('|')})/` },
}));

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
      to: { circular: true },
    },
    {
      name: 'every-subject-has-a-floor',
      severity: 'error',
      comment: 'List a new folder of core/ in .dependency-cruiser.js.',
      from: {},
      to: { path: '^core/[^/]+/', pathNot: `^core/(?:${subjects.join('|')})/` },
    },
    ...upwards,
    never(
      'core-ground-imports-no-subject',
      { path: '^core/[^/]+\\.ts$', pathNot: topFloor },
      { path: ['^core/[^/]+/', topFloor] },
      'Files beside the subjects are known by all subjects and know none.',
    ),
    never(
      'lower-floors-do-not-know-the-context',
      withoutContext,
      topFloor,
      'Take the type of the parts that are used.',
    ),
    never(
      'only-entries-open-a-context',
      { path: '^(?:core|db)/', pathNot: topFloor },
      { path: [compositionRoots, '^core/job-contracts\\.ts$'] },
    ),
    never('db-imports-nothing', '^db/', `^(?:core|${processes}|dashboard|packages|scripts|test)/`),
    never('core-imports-no-process', '^core/', `^(?:${processes}|dashboard|scripts|test)/`),
    never('api-imports-core-only', '^api/', '^(?:db|jobs|haraka-plugin|dashboard|scripts|test)/'),
    never('jobs-import-core-only', '^jobs/', '^(?:db|api|haraka-plugin|dashboard|scripts|test)/'),
    never('smtp-imports-core-only', '^haraka-plugin/', '^(?:db|api|jobs|dashboard|scripts|test)/'),
    never(
      'dashboard-imports-the-contract-only',
      '^dashboard/',
      {
        path: `^(?:core|db|${processes}|scripts|test)/`,
        pathNot: '^api/contract/contract\\.gen\\.ts$',
      },
      'The dashboard uses the public API.',
    ),
    never('scripts-do-not-import-tests', '^scripts/', '^test/'),
    never(
      'service-imports-no-client',
      `^(?:core|db|${processes}|scripts)/`,
      '^packages/(?!shared/)',
      'The packages are clients of the service.',
    ),
    never(
      'packages-import-no-service',
      '^packages/',
      `^(?:core|db|${processes}|dashboard|scripts|test)/`,
    ),
    never(
      'shared-imports-nothing',
      '^packages/shared/',
      '^packages/(?!shared/)',
      'The service, the dashboard and the command line contain it.',
    ),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
  },
};
