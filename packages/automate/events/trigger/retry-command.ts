import { ActionError } from './trigger.ts';

/** Flags of `argo retry` that say what is tried again; others lead to another cluster, or start programs by its kubeconfig. */
const flags: ReadonlyMap<string, { readonly value: boolean }> = new Map([
  ['-p', { value: true }],
  ['--parameter', { value: true }],
  ['--node-field-selector', { value: true }],
  ['--restart-successful', { value: false }],
]);
const workflowName = /^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/;

/** What is asked to be tried again. */
export interface Retry {
  readonly namespace: string;
  readonly name: string;
  readonly args: readonly string[];
  /** Whom the cluster takes the caller for, where it is not the process itself. */
  readonly as?: string | undefined;
}

/** Arguments of the argo command that tries a workflow again. Throws `ActionError` for what would be read as something else. */
export function retryCommand({ namespace, name, args, as }: Retry): string[] {
  for (const word of [namespace, name])
    if (!workflowName.test(word))
      throw new ActionError(`${JSON.stringify(word)} is no name of a workflow or namespace`);
  const checked: string[] = [];
  const rest = [...args];
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    const [flag = '', inline] = word.split(/=(.*)/s);
    const known = flags.get(flag);
    if (!known || (inline !== undefined && (!known.value || !flag.startsWith('--'))))
      throw new ActionError(
        `the argument ${JSON.stringify(word)} is not supported; there are ${[...flags.keys()].join(', ')}`,
      );
    checked.push(flag);
    if (!known.value) continue;
    const value = inline ?? rest.shift();
    if (value === undefined) throw new ActionError(`the argument ${flag} needs a value`);
    checked.push(value);
  }
  return [...(as ? ['--as', as] : []), '-n', namespace, 'retry', ...checked, '--', name];
}
