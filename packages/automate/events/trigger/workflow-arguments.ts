import { ActionError } from './trigger.ts';

/** What `args` of an argoWorkflow trigger ask for, which are flags of the argo command. */
export interface WorkflowArguments {
  readonly parameters: ReadonlyMap<string, string>;
  readonly labels: Readonly<Record<string, string>>;
  readonly name?: string;
  readonly generateName?: string;
  readonly entrypoint?: string;
  readonly serviceAccount?: string;
  readonly priority?: number;
}

const withValue: ReadonlyMap<string, string> = new Map([
  ['-p', 'parameter'],
  ['--parameter', 'parameter'],
  ['-l', 'labels'],
  ['--labels', 'labels'],
  ['--name', 'name'],
  ['--generate-name', 'generateName'],
  ['--entrypoint', 'entrypoint'],
  ['--serviceaccount', 'serviceAccount'],
  ['--priority', 'priority'],
]);

/** Reads the flags. Throws `ActionError` for one that we do not know. */
export function workflowArguments(args: readonly string[]): WorkflowArguments {
  const parameters = new Map<string, string>();
  const labels: Record<string, string> = {};
  const single: Record<string, string> = {};
  for (let i = 0; i < args.length; i++) {
    const [flag = '', inline] = splitFlag(args[i] ?? '');
    const what = withValue.get(flag);
    if (!what)
      throw new ActionError(
        `the argument ${JSON.stringify(flag)} is not supported; there are ${[...withValue.keys()].join(', ')}`,
      );
    const value = inline ?? args[++i] ?? '';
    if (what === 'parameter') {
      const at = value.indexOf('=');
      if (at < 0) throw new ActionError(`the parameter ${JSON.stringify(value)} is not of the form NAME=VALUE`);
      parameters.set(value.slice(0, at), value.slice(at + 1));
    } else if (what === 'labels') {
      for (const pair of value.split(',')) {
        const [key = '', text = ''] = pair.split('=');
        labels[key] = text;
      }
    } else single[what] = value;
  }
  const { priority, ...texts } = single;
  return { parameters, labels, ...texts, ...(priority === undefined ? {} : { priority: Number(priority) }) };
}

function splitFlag(text: string): [string, string?] {
  const at = text.startsWith('--') ? text.indexOf('=') : -1;
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}
