import { WireError } from './wire-error.ts';

type Fields = Record<string, unknown>;

/** A message whose JSON form is not an object of its fields. */
export interface SpecialMessage {
  /** Fields of the message from JSON (never null or undefined). */
  fromJson(json: unknown, path: string): Fields;
  toJson(message: Fields): unknown;
  /** Whether this JSON is certain to come back from the message as it is. */
  isSame?(json: unknown): boolean;
}

const utf8 = { encode: new TextEncoder(), decode: new TextDecoder() };

const flow = 'github.com.argoproj.argo_workflows.v4.pkg.apis.workflow.v1alpha1';
const events = 'github.com.argoproj.argo_events.pkg.apis.events.v1alpha1';

/** The messages of Kubernetes with a JSON form of their own, by protobuf name. */
export const specialMessages: ReadonlyMap<string, SpecialMessage> = new Map<string, SpecialMessage>([
  ['k8s.io.apimachinery.pkg.apis.meta.v1.Time', time(false)],
  ['k8s.io.apimachinery.pkg.apis.meta.v1.MicroTime', time(true)],
  ['k8s.io.apimachinery.pkg.apis.meta.v1.FieldsV1', embedded('Raw')],
  ['k8s.io.apimachinery.pkg.runtime.RawExtension', embedded('raw')],
  ['k8s.io.apiextensions_apiserver.pkg.apis.apiextensions.v1.JSON', embedded('raw')],
  ['k8s.io.apimachinery.pkg.util.intstr.IntOrString', intOrString()],
  ['k8s.io.apimachinery.pkg.api.resource.Quantity', textOrNumber('string', false)],
  [`${flow}.Amount`, textOrNumber('value', true)],
  [`${flow}.Item`, embedded('value')],
  [`${flow}.Object`, embedded('value')],
  [`${events}.Amount`, embedded('value')],
  [`${events}.K8SResource`, embedded('value')],
  [`${events}.Int64OrString`, intOrString('int64Val')],
  ['github.com.argoproj.argo_cd.v3.pkg.apis.application.v1alpha1.OptionalArray', unwrapped('array', [])],
  ['github.com.argoproj.argo_cd.v3.pkg.apis.application.v1alpha1.OptionalMap', unwrapped('map', {})],
]);

/** A time of the cluster, on a day that every month has. */
const usualTime = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\dZ$/;

/** `2024-01-02T03:04:05Z` (microseconds for MicroTime); the zero time is null, as Go has it. */
function time(micro: boolean): SpecialMessage {
  return {
    isSame: (json) => !micro && typeof json === 'string' && usualTime.test(json) && json !== '1970-01-01T00:00:00Z',
    fromJson(json, path) {
      const ms = typeof json === 'string' ? Date.parse(json) : Number.NaN;
      if (typeof json !== 'string' || Number.isNaN(ms)) throw new WireError(path, 'a time as RFC 3339 has it', json);
      const fraction = micro ? (/\.(\d{1,9})/.exec(json)?.[1] ?? '') : '';
      return { seconds: BigInt(Math.floor(ms / 1000)), nanos: Number(fraction.padEnd(9, '0')) };
    },
    toJson({ seconds, nanos }) {
      if (!seconds && !nanos) return null;
      const text = new Date(Number(seconds) * 1000).toISOString().slice(0, 19);
      return micro ? `${text}.${String(Math.floor(Number(nanos ?? 0) / 1000)).padStart(6, '0')}Z` : `${text}Z`;
    },
  };
}

function embedded(field: string): SpecialMessage {
  return {
    isSame: () => true,
    fromJson: (json) => ({ [field]: utf8.encode.encode(JSON.stringify(json)) }),
    toJson(message) {
      const raw = message[field] as Uint8Array | undefined;
      return raw?.length ? JSON.parse(utf8.decode.decode(raw)) : null;
    },
  };
}

function intOrString(number = 'intVal'): SpecialMessage {
  return {
    fromJson(json, path) {
      if (typeof json === 'string') return { type: 1n, strVal: json };
      if (typeof json === 'number' && Number.isInteger(json))
        return { type: 0n, [number]: number === 'intVal' ? json : BigInt(json) };
      throw new WireError(path, 'an integer or a string', json);
    },
    toJson: ({ type, strVal, ...rest }) => (type ? (strVal ?? '') : Number(rest[number] ?? 0)),
  };
}

/** A quantity: its text, or a number in JSON. */
function textOrNumber(field: string, writesNumber: boolean): SpecialMessage {
  return {
    fromJson(json, path) {
      if (typeof json !== 'string' && typeof json !== 'number') throw new WireError(path, 'a number or its text', json);
      return { [field]: String(json) };
    },
    toJson(message) {
      const text = String(message[field] ?? '');
      return writesNumber ? Number(text || '0') : text || '0';
    },
  };
}

function unwrapped(field: string, empty: unknown): SpecialMessage {
  return {
    fromJson: (json) => ({ [field]: json }),
    toJson: (message) => message[field] ?? empty,
  };
}
