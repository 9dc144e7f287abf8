import { timeText } from './gob/go-json.ts';
import { failedPlugin } from './model/diagnoses.ts';
import type { StepPluginPhase, StepPluginResult } from './model/types.ts';

/** A struct of a plugin's answer, by the names of Go's fields. */
type GoStruct = Readonly<Record<string, unknown>>;

/** Throws what a plugin answered as its own error. */
export function checkError(answer: unknown): void {
  const text = (answer as GoStruct | null)?.ErrorString;
  if (typeof text === 'string' && text !== '') throw failedPlugin(text);
}

const phases: ReadonlySet<unknown> = new Set(['Running', 'Successful', 'Failed', 'Error']);

/** The answer of a step plugin. Throws its error, and a phase that there is not. */
export function stepResult(answer: unknown): StepPluginResult {
  const { Result = {}, Error: error } = answer as { Result?: GoStruct; Error?: GoStruct };
  checkError(error);
  const phase = Result.Phase ?? '';
  if (phase !== '' && !phases.has(phase))
    throw failedPlugin(`could not validate rpc phase: phase '${String(phase)}' is not valid`);
  return {
    phase: phase as StepPluginPhase | '',
    message: String(Result.Message ?? ''),
    requeueAfter: Number(Result.RequeueAfter ?? 0) / 1e6,
    status: rawJson(Result.Status),
  };
}

/** JSON that a plugin keeps in a status; undefined if it keeps nothing. */
function rawJson(bytes: unknown): unknown {
  if (!(bytes instanceof Uint8Array) || bytes.length === 0) return undefined;
  try {
    return JSON.parse(Buffer.from(bytes).toString());
  } catch {
    throw failedPlugin('the plugin answers with a status that is no JSON');
  }
}

/** A measurement as statuses have it. */
export function measurementOf(answer: unknown): Record<string, unknown> {
  const measurement = answer as GoStruct;
  const text = (field: string) => (measurement[field] ? { [lowerFirst(field)]: String(measurement[field]) } : {});
  const time = (field: string) => {
    const value = measurement[field] instanceof Uint8Array ? timeText(measurement[field]) : undefined;
    return value === undefined ? {} : { [lowerFirst(field)]: value };
  };
  const metadata = measurement.Metadata instanceof Map ? stringMap(measurement.Metadata) : {};
  return {
    phase: String(measurement.Phase ?? ''),
    ...text('Message'),
    ...text('Value'),
    ...time('StartedAt'),
    ...time('FinishedAt'),
    ...time('ResumeAt'),
    ...(Object.keys(metadata).length > 0 ? { metadata } : {}),
  };
}

/** A map of texts. */
export function stringMap(answer: unknown): Record<string, string> {
  if (!(answer instanceof Map)) return {};
  return Object.fromEntries([...answer].map(([key, value]) => [String(key), String(value)]));
}

function lowerFirst(text: string): string {
  return `${text[0]?.toLowerCase()}${text.slice(1)}`;
}
