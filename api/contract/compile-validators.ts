/**
 * Compiles the validators at startup. Otherwise the first request of each path blocks all others
 * while its validator is compiled. The library compiles on demand, so each operation is called once
 * without a connection.
 */
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import express, { type ErrorRequestHandler, type RequestHandler } from 'express';
import { type Contract, METHODS } from './contract.js';
import type { Validation } from './validate.js';

/** Resolves when all validators are compiled. Yields to the event loop before each operation. */
export async function compileValidators(contract: Contract, validation: Validation): Promise<void> {
  for (const [path, operations] of Object.entries(contract.paths ?? {})) {
    validation.open(path);
    await nextTurn(); // the library reads its contract in a separate promise
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
    // Response validators are compiled with the first response, valid or not.
    const answer: RequestHandler = (_req, res, next) => {
      res.json({});
      next();
    };
    const over: RequestHandler = () => {
      resolve();
    };
    // Express recognizes error handlers by their four parameters.
    const refused: ErrorRequestHandler = (_error, _req, _res, next) => {
      resolve();
      next();
    };
    express().use(takeBody, handler, answer, over, refused)(req, new ServerResponse(req));
  });
}
