import { InvalidArgumentError, Option } from 'commander';

const kinds: Readonly<Record<string, readonly string[]>> = {
  workflows: ['Workflow'],
  workflowtemplates: ['WorkflowTemplate'],
  cronworkflows: ['CronWorkflow'],
  clusterworkflowtemplates: ['ClusterWorkflowTemplate'],
};
const all = Object.values(kinds).flat();

/** `--kinds`: which objects are looked at, by upstream's words for them. */
export function kindsFlag(): Option {
  return new Option('--kinds <kinds>', `Only these: all, ${Object.keys(kinds).join(', ')}`)
    .default(all, 'all')
    .argParser((text: string) =>
      text.split(',').flatMap((word) => {
        const found = word === 'all' ? all : kinds[word];
        if (!found) throw new InvalidArgumentError(`"${word}" is none of all, ${Object.keys(kinds).join(', ')}.`);
        return found;
      }),
    );
}

/** `--strict=false` lets fields pass that there are not. */
export function strictFlag(): Option {
  return new Option('--strict [boolean]', 'Whether fields that there are not are mistakes')
    .default(true)
    .argParser((text: string) => {
      if (text !== 'true' && text !== 'false') throw new InvalidArgumentError('It is true or false.');
      return text === 'true';
    });
}
