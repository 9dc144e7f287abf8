import { failure, within } from '@tiphys/diagnosis';
import {
  execute,
  goValue,
  type MissingKey,
  type ParsedTemplate,
  parse,
  TemplateError,
  TemplateSet,
  type Value,
} from '@tiphys/template';
import { applicationTemplateInvalid } from '../diagnoses/diagnoses.ts';
import type { Params } from '../params/params.ts';
import { templateFunctions } from './functions.ts';

/** How the templates of an ApplicationSet are written. */
export interface TemplateDialect {
  /** `spec.goTemplate`. */
  readonly goTemplate: boolean;
  /** `spec.goTemplateOptions`: `missingkey=error`, `zero`, `default` or `invalid`. */
  readonly options: readonly string[];
}

/** Fills templates with one set of parameters. */
export type Replace = (text: string) => string;

const parsed = new Map<string, ParsedTemplate>();
const parsedLimit = 5_000;

/** The way to fill texts with the parameters; throws a diagnosis for options that there are not. */
export function replacer({ goTemplate, options }: TemplateDialect, params: Readonly<Params>): Replace {
  if (!goTemplate) return (text) => replaceTags(text, params);
  const missingKey = missingKeyOf(options);
  let data: Value;
  return (text) => {
    if (!text.includes('{{')) return text;
    data ??= goValue(params);
    return executeText(text, data, missingKey);
  };
}

function executeText(text: string, data: Value, missingKey: MissingKey): string {
  try {
    const set = new TemplateSet();
    set.add(parseText(text));
    return execute(set, 'base', data, { functions: templateFunctions, missingKey }).text;
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    const verb = error.kind === 'parse' ? 'parse template' : 'execute go template';
    throw failure(applicationTemplateInvalid, {
      message: `failed to ${verb} ${text}: ${error.goMessage}`,
      evidence: { template: text },
      remedies: ['Correct the template, or the parameters that the generator gives it'],
      causes: [error.diagnosis],
    });
  }
}

function parseText(text: string): ParsedTemplate {
  const known = parsed.get(text);
  if (known) return known;
  const fresh = parse('base', text, { functions: templateFunctions });
  if (parsed.size >= parsedLimit) parsed.clear();
  parsed.set(text, fresh);
  return fresh;
}

function missingKeyOf(options: readonly string[]): MissingKey {
  let result: MissingKey = 'default';
  for (const option of options) {
    const value = /^missingkey=(default|invalid|zero|error)$/.exec(option)?.[1];
    if (value === undefined)
      throw failure(applicationTemplateInvalid, {
        message: `unrecognized option: ${option}`,
        place: { field: 'spec.goTemplateOptions' },
        remedies: ['Use missingkey=error, missingkey=zero or missingkey=default'],
      });
    result = value === 'invalid' ? 'default' : (value as MissingKey);
  }
  return result;
}

/** True if an error of `replacer` says that a parameter is missing. */
export function isMissingKey(error: unknown): boolean {
  const { message } = within(error, {}).diagnosis;
  return message.includes('map has no entry for key') || message.includes("can't evaluate field");
}

/**
 * The older dialect: `{{ name }}` is the parameter of that name if it is a text, and stays as it is if there is none.
 * Upstream rule: nothing is replaced unless one line holds both braces.
 */
function replaceTags(text: string, params: Readonly<Params>): string {
  if (!text.split('\n').some((line) => line.includes('{{') && line.includes('}}', line.indexOf('{{') + 2))) return text;
  let out = '';
  for (let at = 0; ; ) {
    const start = text.indexOf('{{', at);
    if (start < 0) return out + text.slice(at);
    const end = text.indexOf('}}', start + 2);
    if (end < 0)
      throw failure(applicationTemplateInvalid, {
        message: `invalid template: Cannot find end tag="}}" in the template="${text}" starting from "${text.slice(start + 2)}"`,
        remedies: ['Close the braces'],
      });
    const tag = text.slice(start + 2, end);
    const value = params[tag.trim()];
    out += text.slice(at, start) + (tag.trim() !== '' && typeof value === 'string' ? value : `{{${tag}}}`);
    at = end + 2;
  }
}
