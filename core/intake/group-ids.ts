/**
 * Ids of mails that share a job. The id of the job is part of the ingest id of each of its mails,
 * so that the job of a mail is known without a further record in Redis.
 */
import { newId } from '../ids.ts';

const SEPARATOR = '-';

/** @param at time in ms since 1970 that the id sorts by. */
export function newGroupId(at: number): string {
  return newId('ingest', at);
}

/** The ingest id of the mail at this place of a group. */
export function memberId(groupId: string, index: number): string {
  return `${groupId}${SEPARATOR}${index}`;
}

/** The id of the job that a mail was accepted with; its own ingest id if it was alone. */
export function firstJobId(ingestId: string): string {
  return ingestId.split(SEPARATOR, 1)[0] ?? ingestId;
}
