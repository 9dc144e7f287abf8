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
