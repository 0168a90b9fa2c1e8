import { noteUses } from '../core/smtp-credentials/note-uses.js';
import { defineScheduledJob } from '../core/queue/job.js';
import { noteCredentialUseJob } from '../core/retention/schedule.js';

/** Writes the last use of SMTP credentials to the database. */
export const noteCredentialUse = defineScheduledJob(noteCredentialUseJob, noteUses);
