/**
 * The smtp process of separate modules: the classes that ../../preload/die-at-points.ts changes are
 * not bundled.
 */
import { runProcess } from '../../../../core/process/run-process.js';
import { serve } from '../../../../haraka-plugin/serve.js';

runProcess('smtp', serve);
