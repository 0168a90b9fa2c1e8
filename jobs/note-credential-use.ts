import { noteUses } from '../core/smtp-credentials/note-uses.js';
import { defineScheduledJob } from '../core/queue/job.js';
import { noteCredentialUseJob } from '../core/retention/schedule.js';

/** Writes to the database when SMTP credentials were used. */
export const noteCredentialUse = defineScheduledJob(noteCredentialUseJob, noteUses);
