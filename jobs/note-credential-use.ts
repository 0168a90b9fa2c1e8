import { noteUses } from '../core/smtp-credentials/note-uses.ts';
import { defineScheduledJob } from '../core/queue/job.ts';
import { noteCredentialUseJob } from '../core/retention/schedule.ts';

/** Writes the last use of SMTP credentials to the database. */
export const noteCredentialUse = defineScheduledJob(noteCredentialUseJob, noteUses);
