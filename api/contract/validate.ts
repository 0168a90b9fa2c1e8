import { type Request, type RequestHandler, type Response, Router } from 'express';
import { OpenApiValidator } from 'express-openapi-validator/dist/openapi.validator.js';
import { AppError } from '../../core/errors.ts';
import { type Contract, METHODS, contractOf, integersOf } from './contract.ts';
import { WITH_BODY, onlyJson, onlyMail } from '../http/json-body.ts';
import { plainIntegers } from '../http/query.ts';

const METHODS_IN_ORDER = Array.from(METHODS, (method) => method.toUpperCase());

const opened = new WeakMap<Contract, Map<boolean, RequestHandler>>();

/**
 * Rejects requests that violate the contract. With `responses`, responses that violate it become
 * errors. All applications of a process share the validators.
 *
 * Each path has a validator with a contract of that path only, which its first request compiles (6
 * ms in the median). All of them at the start took half of the CPU time of a start. One validator
 * for all paths took 0.14 ms of the 0.4 ms of a short request to find the path.
 */
export function openValidation(
  contract: Contract,
  options: { responses: boolean },
): RequestHandler {
  const known = opened.get(contract) ?? new Map<boolean, RequestHandler>();
  opened.set(contract, known);
  const validation = known.get(options.responses) ?? validationOf(contract, options);
  known.set(options.responses, validation);
  return validation;
}

function validationOf(contract: Contract, options: { responses: boolean }): RequestHandler {
  const made = new Map<string, RequestHandler>();
  const validatorOf = (path: string) => {
    const handler = made.get(path) ?? validator(contract, path, options);
    made.set(path, handler);
    return handler;
  };
  const routers = new Map<number, Router>();
  const paths = Object.entries(contract.paths ?? {});
  // A literal segment precedes a parameter in its place, and only for the methods that it has.
  paths.sort(([a], [b]) => parametersIn(a) - parametersIn(b));
  for (const [path, operations = {}] of paths) {
    const validate: RequestHandler = (req, res, next) => {
      validatorOf(path)(req, res, next);
    };
    const matching = paths.filter(([other]) => isBelow(path, other));
    const methods = METHODS_IN_ORDER.filter((method) =>
      matching.some(([, others]) => method.toLowerCase() in others),
    );
    const ownMethods: RequestHandler = (req, res, next) => {
      if (req.method.toLowerCase() in operations) {
        next();
      } else if (methods.includes(req.method)) {
        next('route');
      } else {
        throw methodNotAllowed(req, res, methods);
      }
    };
    const takesMail = 'post' in operations && isMail(operations.post);
    const integers = plainIntegers(integersOf(contract, path));
    const types = takesMail ? [onlyMail, validate] : [oneTypePerMethod, validate, onlyJson];
    const router = routers.get(depthOf(path)) ?? Router();
    routers.set(depthOf(path), router);
    router.all(toExpress(path), ownMethods, integers, types, leaveRouter);
  }
  // Paths of another depth cannot match: this leaves at most a third of the patterns to try.
  return (req, res, next) => {
    const router = routers.get(depthOf(req.path));
    if (router) router(req, res, next);
    else next();
  };
}

/** @param methods those of all paths that match the request. */
function methodNotAllowed(req: Request, res: Response, methods: string[]): AppError {
  const allowed = methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
  res.setHeader('Allow', allowed.join(', '));
  return new AppError(
    'method_not_allowed',
    `${req.method} is not supported here. Use ${allowed.join(', ')}.`,
  );
}

/**
 * The library compiles and caches a validator for each spelling of the content type, so the
 * spelling is normalized.
 */
const oneTypePerMethod: RequestHandler = (req, _res, next) => {
  const isOther = WITH_BODY.has(req.method) && req.is('application/json') === false;
  req.headers['content-type'] = isOther ? 'application/octet-stream' : 'application/json';
  next();
};

/**
 * The middleware of the library without its loader, which compiles the meta schema of OpenAPI 3.1
 * for each contract (0.1 s of CPU time) and resolves references to other files, which do not occur.
 */
function validator(
  contract: Contract,
  path: string,
  { responses }: { responses: boolean },
): RequestHandler {
  const apiDoc = contractOf(contract, path);
  const validation = new OpenApiValidator({
    apiSpec: apiDoc,
    validateApiSpec: false, // the linter validates it
    validateRequests: true,
    validateResponses: responses,
    validateSecurity: false, // authentication happens before the body is read
  });
  const routes = Object.keys(apiDoc.paths?.[path] ?? {})
    .filter((key) => METHODS.has(key))
    .map((key) => ({
      basePath: '',
      expressRoute: toExpress(path),
      openApiRoute: path,
      method: key.toUpperCase(),
      pathParams: Array.from(path.matchAll(/\{(\w+)\}/g), ([, name = '']) => name),
    }));
  // The number by which a response finds the validator of its request.
  const serial = Object.keys(contract.paths ?? {}).indexOf(path);
  const loaded = Promise.resolve({ apiDoc, basePaths: [''], routes, serial });
  return Router().use(validation.installMiddleware(loaded));
}

const leaveRouter: RequestHandler = (_req, _res, next) => {
  next('router');
};

/** The number of segments, without a slash at the end, which Express ignores. */
const depthOf = (path: string) => path.split('/').length - (path.endsWith('/') ? 1 : 0);

const parametersIn = (path: string) => path.split('{').length - 1;

/** Whether every request for `path` also matches `template`, which can be the same. */
function isBelow(path: string, template: string): boolean {
  const [parts, pattern] = [path.split('/'), template.split('/')];
  return (
    parts.length === pattern.length &&
    pattern.every((part, n) => part.startsWith('{') || part === parts[n])
  );
}

/** Whether the request body of an operation is a mail instead of JSON. */
function isMail(operation: unknown): boolean {
  const { content = {} } =
    (operation as { requestBody?: { content?: object } } | undefined)?.requestBody ?? {};
  return 'message/rfc822' in content;
}

const toExpress = (path: string) => path.replaceAll(/\{(\w+)\}/g, ':$1');
