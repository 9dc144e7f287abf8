import { execute, parse, type Recorder, sprigFunctions, TemplateSet } from '@tiphys/template';

/**
 * The name that `--name-template` makes: a template with Sprig's functions and no data, as Helm has it. `recorder` says
 * where random and time-bound parts come from; without one they are made anew. Throws TemplateError.
 */
export function releaseNameOf(template: string, recorder?: Recorder): string {
  const set = new TemplateSet();
  set.add(parse('name-template', template, { functions: sprigFunctions }));
  const options = { functions: sprigFunctions, ...(recorder ? { recorder } : {}) };
  return execute(set, 'name-template', null, options).text;
}

const validName = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const longest = 53;

/** Why a release cannot have the name, in Helm's words; undefined if it can. */
export function releaseNameProblem(name: string): string | undefined {
  if (name !== '' && name.length <= longest && validName.test(name)) return undefined;
  const reason =
    name === ''
      ? 'no name provided'
      : `invalid release name, must match regex ${validName.source} and the length must not be longer than ${longest}`;
  return `release name ${JSON.stringify(name)}: ${reason}`;
}
