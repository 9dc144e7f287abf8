import type { ListGenerator } from '@tiphys/api';
import { failure } from '@tiphys/diagnosis';
import { parseYaml, YamlError } from '@tiphys/yaml';
import { generatorInvalid } from '../diagnoses/diagnoses.ts';
import { isRecord, newParams, type Params } from '../params/params.ts';
import type { Generator } from './generator.ts';

/** Elements that are written out, as JSON or as YAML that an outer generator fills. */
export const listGenerator: Generator<ListGenerator> = {
  async generate(spec, { dialect }, field) {
    const written = (spec.elements ?? []).map((element, index) => ({
      params: paramsOf(element, dialect.goTemplate, `${field}.list.elements[${index}]`),
      origin: { field: `${field}.list`, generator: 'list', element: `elements[${index}]` },
    }));
    const read = readElements(spec.elementsYaml ?? '', `${field}.list.elementsYaml`).map((params, index) => ({
      params,
      origin: { field: `${field}.list`, generator: 'list', element: `elementsYaml[${index}]` },
    }));
    return { elements: [...written, ...read], gaps: [] };
  },
  requeueAfter: () => undefined,
};

/** Without Go templates all is text, but for one level of `values`. */
function paramsOf(element: unknown, goTemplate: boolean, field: string): Params {
  if (!isRecord(element)) throw invalid('error unmarshling list element: it is no object', field);
  if (goTemplate) return newParams(element);
  const params = newParams();
  for (const [key, value] of Object.entries(element)) {
    if (key !== 'values') params[key] = textOf(value, `${field}.${key}`);
    else if (isRecord(value))
      for (const [name, item] of Object.entries(value))
        params[`values.${name}`] = textOf(item, `${field}.values.${name}`);
    else throw invalid('error parsing values map', `${field}.values`);
  }
  return params;
}

function textOf(value: unknown, field: string): string {
  if (typeof value === 'string') return value;
  throw invalid(`error parsing value as string: found ${value === null ? 'null' : typeof value}`, field);
}

function readElements(text: string, field: string): Params[] {
  if (text === '') return [];
  let elements: unknown;
  try {
    elements = parseYaml(text);
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    throw invalid(`error unmarshling decoded ElementsYaml ${error.goMessage}`, field);
  }
  if (elements === null) return [];
  if (!Array.isArray(elements) || !elements.every(isRecord))
    throw invalid('error unmarshling decoded ElementsYaml: it is no list of objects', field);
  return elements.map((element) => newParams(element));
}

function invalid(message: string, field: string) {
  return failure(generatorInvalid, {
    message,
    place: { field },
    remedies: ['Write each element as an object of texts; with spec.goTemplate: true values of any kind are permitted'],
  });
}
