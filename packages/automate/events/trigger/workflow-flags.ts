import { ActionError } from './trigger.ts';

interface Flag {
  readonly key: string;
  readonly isSwitch?: boolean;
}

/** Flags of one operation: what each is called by its first name, and whether a value follows it. */
export type KnownFlags = ReadonlyMap<string, Flag>;

/**
 * Reads `args` of an argoWorkflow trigger, which are flags of the argo command: the values of each key in their order, an empty text
 * for a switch. Throws an `ActionError` that names what there is, for a flag that is none of them and for what is no flag.
 */
export function readFlags(args: readonly string[], known: KnownFlags): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  const rest = [...args];
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    const [flag = '', inline] = word.startsWith('-') ? word.split(/=(.*)/s) : [word];
    const what = known.get(flag);
    if (!what || (what.isSwitch && inline !== undefined && inline !== 'true'))
      throw new ActionError(
        `the argument ${JSON.stringify(word)} is not supported for this operation; ${known.size > 0 ? `there are ${[...known.keys()].join(', ')}` : 'it has none'}`,
      );
    const value = what.isSwitch ? '' : (inline ?? rest.shift());
    if (value === undefined) throw new ActionError(`the argument ${flag} needs a value`);
    found.set(what.key, [...(found.get(what.key) ?? []), value]);
  }
  return found;
}

const parameter = { key: 'parameter' };
const selector = { key: 'selector' };

/** The flags of `argo submit` that say what is created; others read files, lead to another cluster, or wait. */
export const submitFlags: KnownFlags = new Map<string, Flag>([
  ['-p', parameter],
  ['--parameter', parameter],
  ['-l', { key: 'labels' }],
  ['--labels', { key: 'labels' }],
  ['--name', { key: 'name' }],
  ['--generate-name', { key: 'generateName' }],
  ['--entrypoint', { key: 'entrypoint' }],
  ['--serviceaccount', { key: 'serviceAccount' }],
  ['--priority', { key: 'priority' }],
]);

export const resubmitFlags: KnownFlags = new Map<string, Flag>([
  ['-p', parameter],
  ['--parameter', parameter],
  ['--memoized', { key: 'memoized', isSwitch: true }],
  ['--priority', { key: 'priority' }],
]);

export const retryFlags: KnownFlags = new Map<string, Flag>([
  ['-p', parameter],
  ['--parameter', parameter],
  ['--node-field-selector', selector],
  ['--restart-successful', { key: 'restartSuccessful', isSwitch: true }],
]);

export const resumeFlags: KnownFlags = new Map<string, Flag>([['--node-field-selector', selector]]);

export const stopFlags: KnownFlags = new Map<string, Flag>([
  ['--node-field-selector', selector],
  ['--message', { key: 'message' }],
]);

export const noFlags: KnownFlags = new Map();
