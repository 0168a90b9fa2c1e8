/** Loaded before the tests: their modules are resolved as in the processes of the product. */
import { resolveDirectly } from '../../../core/process/direct-resolution.js';

resolveDirectly();
