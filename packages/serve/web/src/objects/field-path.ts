import { stepsOf } from './field-owners.ts';

/** A JSON pointer as people write paths: `spec.containers[0].image`, keys with dots in brackets. */
export function fieldPath(pointer: string): string {
  return stepsOf(pointer).reduce((path, step) => {
    if (/^\d+$/.test(step)) return `${path}[${step}]`;
    if (!/^[\w-]+$/.test(step)) return `${path}["${step}"]`;
    return path === '' ? step : `${path}.${step}`;
  }, '');
}
