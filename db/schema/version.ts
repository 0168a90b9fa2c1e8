/** Which code fits which schema, by the number of migrations. */
import journal from '../migrations/sqlite/meta/_journal.json' with { type: 'json' };

/** The schema that this code works with. */
export const SCHEMA = journal.entries.length;

/**
 * The oldest code that can use this schema, by the schema that it works with. A migration that only
 * adds leaves it, so that processes of the version before go on during an upgrade. A migration that
 * removes or renames what older code uses, or demands what it does not write, raises it to its own
 * number: those processes then report that they are not ready.
 */
export const OLDEST_CODE = 12;
