/**
 * The PostgreSQL driver: a pool of connections. Transactions are SERIALIZABLE, so that a body means the same as on
 * SQLite, where one writes at a time: what PostgreSQL then refuses for running beside another it runs again. A
 * statement prepared by name is planned once for each connection; inside a transaction it has to be built from the
 * transaction's own handle, or it would run outside of it.
 */
import { sql } from 'drizzle-orm';
import { type NodePgDatabase, type NodePgQueryResultHKT, drizzle } from 'drizzle-orm/node-postgres';
import { migrate } from 'drizzle-orm/node-postgres/migrator';
import { getTableColumns } from 'drizzle-orm';
import type { PgTransaction } from 'drizzle-orm/pg-core';
import { Client, Pool, type PoolConfig } from 'pg';
import type { Config } from '../core/config.js';
import { AppError, errorText } from '../core/errors.js';
import { postgresFailure, postgresPatiently } from './postgres-patience.js';
import type { AnyStatement, Body, Db, Query, Step, Store, TableWithId } from './store.js';
import { tables } from './tables.postgres.js';
