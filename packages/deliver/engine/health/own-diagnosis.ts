import type { Diagnosis, Remedy } from '@tiphys/diagnosis';
import { describeKey, type KubeObject, keyOf, parseApiVersion } from '@tiphys/kubernetes';
import { type JsonObject, objectsAt, textAt, valueAt } from '../model/fields.ts';

const codes = /^[A-Z][A-Za-z0-9]{1,63}$/;
const longest = 1_000;
const most = 5;

/**
 * The first diagnosis in `status.diagnoses` of an object whose controller is one of Tiphys' (group argoproj.io), in bounds: who may
 * write the status says no more than a message needs. Undefined if there is none.
 */
export function ownDiagnosis(object: KubeObject): Diagnosis | undefined {
  if (parseApiVersion(object.apiVersion).group !== 'argoproj.io') return undefined;
  const [told] = objectsAt(object, 'status', 'diagnoses');
  if (!told) return undefined;
  const [code, message] = [textAt(told, 'code'), text(told, 'message')];
  if (!codes.test(code) || !message) return undefined;
  const field = text(told, 'place', 'field');
  return {
    code,
    cause: textAt(told, 'cause') || code,
    message,
    place: { object: text(told, 'place', 'object') || describeKey(keyOf(object)), ...(field ? { field } : {}) },
    evidence: objectsAt(told, 'evidence')
      .slice(0, most)
      .map((each) => ({ name: text(each, 'name'), value: text(each, 'value') })),
    remedies: objectsAt(told, 'remedies').slice(0, most).map(remedyOf),
  };
}

function remedyOf(told: JsonObject): Remedy {
  const [paste, loses] = [text(told, 'paste'), text(told, 'loses')];
  return { text: text(told, 'text'), ...(paste ? { paste } : {}), ...(loses ? { loses } : {}) };
}

function text(told: JsonObject, ...path: string[]): string {
  const value = valueAt(told, ...path);
  return typeof value === 'string' ? value.slice(0, longest) : '';
}
