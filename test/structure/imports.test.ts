/** Checks the import rules; each rule must fail on a planted import. */
import { appendFile, mkdir, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { type ICruiseOptions, type ICruiseResult, cruise } from 'dependency-cruiser';
import { ROOT } from '../../core/root.ts';
import { tempDir } from '../support/context/temp-dir.ts';

const FOLDERS = [
  ...['api', 'core', 'dashboard', 'db', 'haraka-plugin', 'jobs', 'packages', 'scripts', 'test'],
];
const RULES = '.dependency-cruiser.js';

/** Planted imports: the file that imports, what it imports, and the rule that forbids it. */
const PLANTED = `
db/open.ts core/ids.ts db-imports-nothing
core/ids.ts core/redis/client.ts core-ground-imports-no-subject
core/redis/client.ts core/mailboxes/generate-slug.ts core/redis-imports-no-later-subject
core/ingest/store-mail.ts core/sending/send.ts core/ingest-imports-no-later-subject
core/workspaces/workspaces.ts core/mailboxes/generate-slug.ts core/workspaces-imports-no-later-subject
core/intake/spool.ts core/mime/parse-mail.ts core/intake-imports-no-later-subject
core/intake/spool.ts core/context.ts lower-floors-do-not-know-the-context
core/mailboxes/mailboxes.ts jobs/removal.ts core-imports-no-process
core/mailboxes/mailboxes.ts api/app.ts core-imports-no-process
core/mailboxes/mailboxes.ts haraka-plugin/replies.ts core-imports-no-process
core/auth/tokens.ts core/open-context.ts only-entries-open-a-context
api/app.ts core/new/subject.ts every-subject-has-a-floor
api/app.ts scripts/cli/migrate.ts api-imports-core-only
api/app.ts packages/client/src/index.ts service-imports-no-client
api/routes/messages.ts db/statements/messages.ts api-imports-core-only
api/routes/messages.ts jobs/index.ts api-imports-core-only
jobs/ingest.ts db/statements/mails.ts jobs-import-core-only
haraka-plugin/hooks/data.ts db/open.ts smtp-imports-core-only
haraka-plugin/hooks/data.ts jobs/ingest.ts smtp-imports-core-only
scripts/cli/migrate.ts test/support/mail/mail.ts scripts-do-not-import-tests
packages/client/src/index.ts core/ids.ts packages-import-no-service
packages/shared/framework-settings.ts core/ids.ts packages-import-no-service
packages/shared/framework-settings.ts packages/cli/src/main.ts shared-imports-nothing
dashboard/app.tsx core/ids.ts dashboard-imports-the-contract-only`;

describe('The direction of imports', () => {
  const dir = tempDir('each');

  it('forbids each of the planted imports', async () => {
    const lines = PLANTED.trim().split('\n');
    for (const line of lines) {
      const [from = '', to = ''] = line.split(' ');
      const up = '../'.repeat(dirname(from).split('/').length);
      await plant(from, `import '${up}${to}';\n`);
      await plant(to, 'export {};\n');
    }
    expect(await violations(RULES)).to.include.members(lines);
  });

  it('forbids a cycle, also of types through the context', async () => {
    await plant('api/one.ts', "import './two.ts';\n");
    await plant('api/two.ts', "import './one.ts';\n");
    await plant('core/context.ts', "export type { Entry } from './delivery/log.ts';\n");
    await plant('core/delivery/log.ts', "export type { Entry } from '../context.ts';\n");
    expect(await violations(RULES)).to.include.members([
      'api/one.ts api/two.ts no-cycles',
      'core/context.ts core/delivery/log.ts no-cycles',
    ]);
  });

  it('forbids the SMTP process to load the database through another file', async () => {
    await symlink(join(ROOT, 'node_modules'), join(dir.path, 'node_modules'));
    await plant('haraka-plugin/server.ts', "import '../core/rows.ts';\n");
    await plant('core/rows.ts', "import 'better-sqlite3';\n");
    const found = await violations('.dependency-cruiser.runtime.js');
    expect(found.join()).to.include('smtp-loads-neither-database-nor-parser');
  });

  async function plant(file: string, text: string): Promise<void> {
    const path = join(dir.path, file);
    await mkdir(dirname(path), { recursive: true });
    await appendFile(path, text);
  }

  /** What the planted tree violates: the file that imports, what it imports, and the rule. */
  async function violations(config: string): Promise<string[]> {
    const { default: rules } = (await import(join(ROOT, config))) as {
      default: { forbidden: []; options: ICruiseOptions };
    };
    const ruleSet = { forbidden: rules.forbidden };
    const asked = { ...rules.options, tsConfig: undefined, validate: true, ruleSet };
    for (const folder of FOLDERS) await mkdir(join(dir.path, folder), { recursive: true });
    const { output } = await cruise(FOLDERS, { ...asked, baseDir: dir.path });
    return (output as ICruiseResult).summary.violations.map(
      ({ from, to, rule }) => `${from} ${to} ${rule.name}`,
    );
  }
});
