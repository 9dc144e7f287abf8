import { FunctionError, shortened, TemplateError } from '@tiphys/template';
import { messageEnd, messageStart } from '../functions/chart-functions.ts';
import { renderFailed } from '../problems/diagnoses.ts';
import { HelmError } from '../problems/helm-error.ts';

/** What a failure of a template needs for its explanation. */
export interface FailureContext {
  /** Where a values path is set or can be set, for remedies. */
  readonly suggest?: (path: readonly string[]) => string | undefined;
}

/** An error of parsing or executing a template, in the words of Helm and with its chain of includes. */
export function templateFailure(error: TemplateError, context: FailureContext = {}): HelmError {
  const words = error.kind === 'parse' ? parseWords(error) : executionWords(error);
  const chain = chainOf(error).filter((link): link is TemplateError => link instanceof TemplateError);
  const innermost = chain.at(-1) ?? error;
  const { diagnosis } = innermost;
  const known = [...remediesOf(innermost, error.at.template, context), ...diagnosis.remedies];
  const remedies = known.length > 0 ? known : [`Look at ${placeWords(innermost)} and at the values that it uses`];
  return new HelmError(
    renderFailed,
    words,
    {
      message: shortened(messageOf(innermost)),
      ...(diagnosis.place ? { place: diagnosis.place } : {}),
      evidence: [
        ...diagnosis.evidence,
        ...(chain.length > 1 ? [{ name: 'included from', value: chain.slice(0, -1).map(placeWords).join(' → ') }] : []),
      ],
      remedies,
    },
    error,
  );
}

function placeWords({ at }: TemplateError): string {
  return `${at.template}:${at.line}`;
}

function messageOf(error: TemplateError): string {
  const marked = markedMessage(error.goMessage);
  if (marked !== undefined) return `The chart refuses to render: ${marked}`;
  const field = /nil pointer evaluating .*\.([^.\s]+)$/.exec(error.detail)?.[1];
  if (field !== undefined)
    return `${error.at.expression ?? 'The expression'} reads "${field}" of a value that is not set`;
  return error.detail;
}

/** `rendered`: the file that was rendered, whose chart's values `.Values` are, no matter who defines the template that failed. */
function remediesOf(error: TemplateError, rendered: string, context: FailureContext): string[] {
  const missing = /no template "([^"]+)" associated/.exec(error.detail)?.[1];
  if (missing !== undefined)
    return [
      `Define it ({{ define "${missing}" }} in a file below templates/), correct its name, or add the chart that defines it to the dependencies`,
    ];
  const below = nilPath(error);
  if (!below) return [];
  const path = below[0] === 'global' ? below : [...subchartsOf(rendered), ...below];
  const suggestion = context.suggest?.(path);
  const name = path.join('.');
  return [suggestion ?? `Set ${name} in the values, such as --set ${name}.KEY=VALUE`];
}

/** Names of the charts inside of the root chart that lead to a template: `shop/charts/db/templates/a.yaml` is of `db`. */
function subchartsOf(template: string): string[] {
  const steps = template.split('/templates/', 1)[0]?.split('/') ?? [];
  return steps.filter((_, index) => index > 0 && index % 2 === 0);
}

/** The path below `.Values` that was nil: `.Values.a.b.c` with an error on `b` means that `a` is not set. */
export function nilPath(error: TemplateError): string[] | undefined {
  const field = /nil pointer evaluating .*\.([^.\s]+)$/.exec(error.detail)?.[1];
  const steps = /\$?\.Values((?:\.[A-Za-z0-9_]+)+)/
    .exec(error.at.expression ?? '')?.[1]
    ?.slice(1)
    .split('.');
  if (field === undefined || !steps) return undefined;
  const index = steps.indexOf(field);
  return index <= 0 ? undefined : steps.slice(0, index);
}

function parseWords(error: TemplateError): string {
  const tokens = error.goMessage.split(': ');
  if (tokens.length === 1) return `parse error in (${error.at.template}): ${error.goMessage}`;
  return `parse error at (${tokens[1]}): ${tokens.at(-1)}`;
}

function markedMessage(text: string): string | undefined {
  const start = text.indexOf(messageStart);
  const end = text.lastIndexOf(messageEnd);
  return start >= 0 && end > start ? text.slice(start + messageStart.length, end) : undefined;
}

function executionWords(error: TemplateError): string {
  const text = error.goMessage;
  const first = text.indexOf(': ');
  const second = text.indexOf(': ', first + 2);
  if (first < 0 || second < 0) return `execution error in (${error.at.template}): ${text}`;
  const marked = markedMessage(text.slice(second + 2));
  if (marked !== undefined) return `execution error at (${text.slice(first + 2, second)}): ${marked}`;
  const blocks: string[] = [];
  for (const link of chainOf(error)) {
    const block = traceBlock(link instanceof TemplateError ? link.goMessage : (link as Error).message);
    if (block === undefined || (link instanceof TemplateError && wrapsInWords(link))) return text;
    if (blocks.at(-1) !== block) blocks.push(block);
  }
  return blocks.join('').trim();
}

/** Whether the function that failed put words of its own before those of the template, as `tpl` does: then Helm lays out nothing. */
function wrapsInWords({ inner, detail }: TemplateError): boolean {
  return inner instanceof TemplateError && !/^error calling \S+: template: /.test(detail);
}

/** An error and what it wraps, outermost first. */
function chainOf(error: TemplateError): unknown[] {
  const chain: unknown[] = [];
  for (let link: unknown = error; link instanceof TemplateError || link instanceof FunctionError; link = link.inner)
    chain.push(link);
  return chain;
}

/** One error of a chain as Helm 4 lays it out; undefined if it is not a template's. */
function traceBlock(text: string): string | undefined {
  const prefix = 'template: ';
  if (!text.startsWith(prefix)) return undefined;
  const rest = text.slice(prefix.length);
  if (rest.startsWith('no template ')) return `${text}\n`;
  const executing = /^(.*?): executing "([^"]*)" at <(.*?)>: (.*)$/s.exec(rest);
  if (executing) {
    const [, location, template, expression, message = ''] = executing;
    return `${location}\n  executing "${template}" at <${expression}>:\n    ${cutNested(message)}\n`;
  }
  const separator = rest.lastIndexOf(': ');
  if (separator < 0) return undefined;
  return `${rest.slice(0, separator)}\n  ${cutNested(rest.slice(separator + 2))}\n`;
}

function cutNested(message: string): string {
  const cut = message.indexOf(' template:');
  return cut < 0 ? message : message.slice(0, cut);
}
