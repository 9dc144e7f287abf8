import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { goDuration } from '@tiphys/go';
import { type Folders, foldersBelow } from './folders.ts';
import type { Template } from './template.ts';

/** What the controller tells the executor, in variables of Argo Workflows' names. */
export interface PodContext {
  readonly podName: string;
  readonly workflow: { readonly name: string; readonly uid: string };
  readonly nodeId: string;
  readonly instanceId: string | undefined;
  readonly template: Template;
  readonly includesOutput: boolean;
  /** When the node must have ended; milliseconds. */
  readonly deadline: number | undefined;
  /** Where the user's command writes its progress, and how often that is reported; milliseconds. */
  readonly progress: { readonly file: string; readonly tick: number } | undefined;
  /** How long containers may take to end; milliseconds. */
  readonly grace: number;
  readonly folders: Folders;
  readonly env: NodeJS.ProcessEnv;
}

/** Reads the context of this container. Throws if a variable is missing that every pod of a workflow has. */
export function readContext(env: NodeJS.ProcessEnv): PodContext {
  const needed = (name: string) => {
    const value = env[name];
    if (value === undefined) throw new Error(`The variable ${name} is not set: only pods of workflows run this`);
    return value;
  };
  const folders = foldersBelow(env.CONTAINER_ROOT ?? '');
  const deadline = Date.parse(env.ARGO_DEADLINE ?? '');
  return {
    podName: needed('ARGO_POD_NAME'),
    workflow: { name: env.ARGO_WORKFLOW_NAME ?? '', uid: env.ARGO_WORKFLOW_UID ?? '' },
    nodeId: env.ARGO_NODE_ID ?? '',
    instanceId: env.ARGO_INSTANCE_ID || undefined,
    template: readTemplate(env, folders),
    includesOutput: env.ARGO_INCLUDE_SCRIPT_OUTPUT === 'true',
    // year 1 says that there is none
    deadline: deadline > 0 ? deadline : undefined,
    progress: progressOf(env),
    grace: (Number(env.ARGO_TERMINATION_GRACE_PERIOD_SECONDS) || 30) * 1000,
    folders,
    env,
  };
}

/** The template of the variable, of the file that is there when it was too large, or as `init` has left it. */
function readTemplate(env: NodeJS.ProcessEnv, { config, run }: Folders): Template {
  const given = env.ARGO_TEMPLATE;
  const text =
    given === undefined
      ? readFileSync(join(run, 'template'), 'utf8')
      : given === 'offloaded'
        ? readFileSync(join(config, 'ARGO_TEMPLATE'), 'utf8')
        : given;
  return JSON.parse(text) as Template;
}

function progressOf(env: NodeJS.ProcessEnv): PodContext['progress'] {
  const file = env.ARGO_PROGRESS_FILE;
  const tick = goDuration(env.ARGO_PROGRESS_PATCH_TICK_DURATION ?? '');
  return file && tick ? { file, tick } : undefined;
}
