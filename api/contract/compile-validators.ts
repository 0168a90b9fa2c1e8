/**
 * Compiles the validators before they are needed: the first request of a path would otherwise hold up all others
 * while its validator is compiled. The library compiles as it serves, so each operation is asked for once, without a
 * connection.
 */
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import express, { type ErrorRequestHandler, type RequestHandler } from 'express';
import { type Contract, METHODS } from './contract.js';
import type { Validation } from './validate.js';

/** Resolves when all are compiled. The event loop has a turn before each operation. */
export async function compileValidators(contract: Contract, validation: Validation): Promise<void> {
  for (const [path, operations] of Object.entries(contract.paths ?? {})) {
    validation.open(path);
    await nextTurn(); // its contract is read in a promise of its own
    for (const method of Object.keys(operations)) {
      if (!METHODS.has(method)) continue;
      await nextTurn();
      await compile(validation, method.toUpperCase(), path.replaceAll(/[{}]/g, ''));
    }
  }
}

function compile({ handler }: Validation, method: string, url: string): Promise<void> {
  const req = new IncomingMessage(new Socket());
  Object.assign(req, { method, url, headers: { 'content-type': 'application/json' } });
  return new Promise((resolve) => {
    const takeBody: RequestHandler = (request, _res, next) => {
      request.body = {};
      next();
    };
    // Validators of answers are compiled with the first answer, right or wrong.
    const answer: RequestHandler = (_req, res, next) => {
      res.json({});
      next();
    };
    const over: RequestHandler = () => {
      resolve();
    };
    // Express knows handlers of errors by their four parameters.
    const refused: ErrorRequestHandler = (_error, _req, _res, next) => {
      resolve();
      next();
    };
    express().use(takeBody, handler, answer, over, refused)(req, new ServerResponse(req));
  });
}
