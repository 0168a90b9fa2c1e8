/**
 * Marks: what of a mailbox or workspace was visible at one moment, opaque to clients and validated
 * on use. A time alone misses mail, because clocks differ and a message can become visible after
 * one that arrived later. A mark is therefore the number of a message: those that were committed
 * later have greater numbers.
 */
import { idListReader } from '../../db/statements/id-lists.ts';
import { lastNumber } from '../../db/statements/message-numbers.ts';
import type { MailboxRow } from '../../db/statements/mailboxes.ts';
import { numbersOf } from '../../db/statements/messages.ts';
import type { WorkspaceRow } from '../../db/statements/workspaces.ts';
import type { Context } from '../context.ts';
import { AppError } from '../errors.ts';
import { requireSummary } from './resolve-id.ts';

type Reading = Pick<Context, 'store'>;
/** A mailbox, or a workspace, whose two ids are the same ({@link placeOf}). */
type Place = Pick<MailboxRow, 'id' | 'workspaceId'>;

/** The last 10 characters of the id of the place are 50 random bits. */
const MARK = /^2\.([0-9a-hjkmnp-tv-z]{10})\.(0|[1-9]\d{0,14})$/;
/** Marks of versions before messages had numbers. */
const EARLIER = /^1\./;

/** The place of the marks of a workspace. */
export function placeOf({ id }: Pick<WorkspaceRow, 'id'>): Place {
  return { id, workspaceId: id };
}

const isWorkspace = ({ id, workspaceId }: Place) => id === workspaceId;

const takeAnother = (place: Place) =>
  `Take a new one: GET ${isWorkspace(place) ? '/api/messages/mark' : '/api/mailboxes/{name}/mark'}.`;

/** The number of the newest message of a workspace that is committed; 0 if there is none. */
export async function lastNumberIn(
  { store }: Reading,
  { workspaceId }: Pick<Place, 'workspaceId'>,
): Promise<number> {
  const [row] = await store.execute(lastNumber, { id: workspaceId });
  return row?.last ?? 0;
}

/** The mark that covers all messages that are visible now. */
export async function currentMark(context: Reading, place: Place): Promise<string> {
  return markOf(place, await lastNumberIn(context, place));
}

/** The mark that covers the messages up to a number. */
export function markOf({ id }: Pick<Place, 'id'>, number: number): string {
  return Buffer.from(`2.${id.slice(-10)}.${number}`).toString('base64url');
}

const readNumbers = idListReader(numbersOf);

/**
 * The number of a message, up to which it stands for a mark.
 * @throws {AppError} `not_found` if the message does not exist in the mailbox.
 */
export async function numberOfMessage(
  context: Pick<Context, 'now' | 'store'>,
  mailbox: MailboxRow,
  id: string,
): Promise<number> {
  const { message } = await requireSummary(context, mailbox, id);
  const [row] = await readNumbers(context.store, [message.id]);
  return row?.number ?? 0;
}

/**
 * The number up to which the mark covers messages.
 * @throws {AppError} `invalid_request` for a text that is no mark of this place, `invalid_mark` for
 *   a mark of an earlier version, or of messages that a restored database does not have.
 */
export async function readMark(
  context: Reading,
  place: Place,
  text: string,
  name = 'mark',
): Promise<number> {
  const decoded = Buffer.from(text, 'base64url').toString('latin1');
  if (EARLIER.test(decoded)) {
    throw new AppError(
      'invalid_mark',
      `"${name}" is a mark of an earlier version. ${takeAnother(place)}`,
    );
  }
  const number = Number(MARK.exec(decoded)?.[2] ?? NaN);
  if (Number.isNaN(number)) {
    throw new AppError('invalid_request', `"${name}" is not a valid mark. ${takeAnother(place)}`);
  }
  if (markOf(place, number) !== text) {
    const owner = otherOwner(place, number, text);
    throw new AppError('invalid_request', `"${name}" is a mark of ${owner}. ${takeAnother(place)}`);
  }
  if (number > (await lastNumberIn(context, place))) {
    throw new AppError(
      'invalid_mark',
      `"${name}" covers messages that the database does not have. ${takeAnother(place)}`,
    );
  }
  return number;
}

/** Whose mark it is, if not that of the place. */
function otherOwner(place: Place, number: number, text: string): string {
  if (isWorkspace(place)) return 'a mailbox or of another workspace';
  const isOfWorkspace = markOf(placeOf({ id: place.workspaceId }), number) === text;
  return isOfWorkspace ? 'the workspace, not of a mailbox' : 'another mailbox';
}
