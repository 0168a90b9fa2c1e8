/** What the SMTP process loads: the imports that are left once types are gone. */
export default {
  forbidden: [
    {
      name: 'smtp-loads-neither-database-nor-parser',
      severity: 'error',
      comment: 'The SMTP process needs Redis and the blob store only.',
      from: { path: '^haraka-plugin/' },
      to: {
        path: 'node_modules/(?:better-sqlite3|pg|drizzle-orm|mailparser)/',
        reachable: true,
      },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: false,
  },
};
