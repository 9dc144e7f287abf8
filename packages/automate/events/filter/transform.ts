import { JqFailure, JqProgram } from '@tiphys/jq';
import type { CloudEvent } from '../event/cloud-event.ts';
import { goMapJson, UnsupportedValue } from '../json/go-json.ts';
import { dataOfNode, JsonSyntaxError, parseNode } from '../json/node.ts';
import type { Dependency } from '../spec/sensor.ts';
import { dataOf, EventScriptError, runScript } from './lua.ts';

/** A transform gave no event: it is dropped. */
export class TransformError extends Error {}

/** The event with its payload changed by jq or Lua; jq wins. Throws `TransformError`. */
export function transformEvent({ transform }: Dependency, event: CloudEvent, now: () => number): CloudEvent {
  if (!transform?.jq && !transform?.script) return event;
  if (event.data === undefined) return event;
  const payload = objectOf(event.data);
  const data = transform.jq ? byJq(transform.jq, payload, now) : byScript(transform.script ?? '', payload, now);
  return { ...event, datacontenttype: 'application/json', data };
}

function objectOf(data: string): unknown {
  try {
    const node = parseNode(data);
    // null is an object without fields, as upstream
    if (node.kind === 'object' || node.kind === 'null') return dataOfNode(node) ?? {};
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
  }
  throw new TransformError('the event data is no JSON object');
}

const programs = new Map<string, JqProgram>();

function byJq(text: string, payload: unknown, now: () => number): string {
  try {
    let program = programs.get(text);
    if (!program) {
      program = new JqProgram(text);
      if (programs.size > 200) programs.clear();
      programs.set(text, program);
    }
    const result = program.first(payload, now);
    if (result === undefined) throw new TransformError('no output available from the jq command execution');
    if (typeof result !== 'object' || result === null || Array.isArray(result))
      throw new TransformError('jq transformation output must be a JSON object');
    return goMapJson(result);
  } catch (error) {
    if (error instanceof JqFailure || error instanceof UnsupportedValue)
      throw new TransformError(`jq: ${error.message}`);
    throw error;
  }
}

function byScript(script: string, payload: unknown, now: () => number): string {
  try {
    const result = runScript(script, payload, now);
    if (result.type !== 'table') throw new TransformError('transformation script output type is not of lua table');
    return goMapJson(dataOf(result));
  } catch (error) {
    if (error instanceof EventScriptError || error instanceof UnsupportedValue)
      throw new TransformError(`script: ${error.message}`);
    throw error;
  }
}
