import {
  create,
  type DescField,
  type DescMessage,
  getOption,
  isFieldSet,
  type Message,
  type MessageShape,
  ScalarType,
} from '@bufbuild/protobuf';
import { always, inline, text, whole } from '../generated/argocd/wire_pb.js';
import type {
  Application,
  ApplicationSet,
  ApplicationSource,
  ApplicationSpec,
  AppProject,
  Info,
  RetryStrategy,
  SyncOperationResource,
  SyncStrategy,
} from '../generated/kinds.ts';
import { specialMessages } from './special.ts';
import { WireError } from './wire-error.ts';

/**
 * The JSON form of a message as Go's encoding/json gives it for Argo CD's types, which for Kubernetes types is the
 * form in the cluster: times are strings, 64-bit integers are numbers, bytes are base64, embedded JSON is itself.
 */
export type Plain<T> = T extends bigint
  ? number
  : T extends Uint8Array
    ? string
    : T extends { $typeName: JsonTypeName }
      ? unknown
      : T extends { $typeName: keyof StoredShapes }
        ? StoredShapes[T['$typeName']]
        : T extends { $typeName: TimeTypeName }
          ? string
          : T extends { $typeName: string }
            ? { [K in keyof T as K extends '$typeName' | '$unknown' ? never : K]?: Plain<T[K]> | undefined }
            : T extends readonly (infer E)[]
              ? Plain<E>[]
              : T extends object
                ? { [K in keyof T]: Plain<T[K]> }
                : T;

/** Messages whose JSON is that of a custom resource. `apiVersion` and `kind` are not part of the messages: they are lost on the wire. */
interface StoredShapes {
  'github.com.argoproj.argo_cd.v3.pkg.apis.application.v1alpha1.Application': Application;
  'github.com.argoproj.argo_cd.v3.pkg.apis.application.v1alpha1.ApplicationSpec': ApplicationSpec;
  'github.com.argoproj.argo_cd.v3.pkg.apis.application.v1alpha1.ApplicationSource': ApplicationSource;
  'github.com.argoproj.argo_cd.v3.pkg.apis.application.v1alpha1.AppProject': AppProject;
  'github.com.argoproj.argo_cd.v3.pkg.apis.application.v1alpha1.ApplicationSet': ApplicationSet;
  'github.com.argoproj.argo_cd.v3.pkg.apis.application.v1alpha1.SyncStrategy': SyncStrategy;
  'github.com.argoproj.argo_cd.v3.pkg.apis.application.v1alpha1.RetryStrategy': RetryStrategy;
  'github.com.argoproj.argo_cd.v3.pkg.apis.application.v1alpha1.SyncOperationResource': SyncOperationResource;
  'github.com.argoproj.argo_cd.v3.pkg.apis.application.v1alpha1.Info': Info;
}

type TimeTypeName = 'k8s.io.apimachinery.pkg.apis.meta.v1.Time' | 'k8s.io.apimachinery.pkg.apis.meta.v1.MicroTime';
type JsonTypeName =
  | 'k8s.io.apimachinery.pkg.apis.meta.v1.FieldsV1'
  | 'k8s.io.apimachinery.pkg.runtime.RawExtension'
  | 'k8s.io.apiextensions_apiserver.pkg.apis.apiextensions.v1.JSON'
  | 'k8s.io.apimachinery.pkg.util.intstr.IntOrString'
  | 'github.com.argoproj.argo_cd.v3.pkg.apis.application.v1alpha1.OptionalArray'
  | 'github.com.argoproj.argo_cd.v3.pkg.apis.application.v1alpha1.OptionalMap';

type Json = Record<string, unknown>;

export interface PlannedField {
  readonly desc: DescField;
  readonly key: string;
  readonly local: string;
  readonly always: boolean;
  readonly inline: boolean;
  readonly whole: boolean;
  /** Text that Go reads from numbers and booleans, too. */
  readonly text: boolean;
  readonly required: boolean;
  readonly oneof: string | undefined;
}

const LEGACY_REQUIRED = 3;
const plans = new WeakMap<DescMessage, readonly PlannedField[]>();

/** What the options of a message's fields say of its JSON; in the order of the JSON's keys. */
export function planOf(desc: DescMessage): readonly PlannedField[] {
  let plan = plans.get(desc);
  if (!plan) {
    plan = desc.fields.map((field) => ({
      desc: field,
      key: field.jsonName,
      local: field.localName,
      always: getOption(field, always),
      inline: getOption(field, inline),
      whole: getOption(field, whole),
      text: getOption(field, text),
      required: field.presence === LEGACY_REQUIRED,
      oneof: field.oneof?.localName,
    }));
    plans.set(desc, plan);
  }
  return plan;
}

/**
 * The message of a JSON value. Fields that the message does not have are ignored, as Go does; a field of the wrong
 * type throws a `WireError` that names it. Required fields that are missing get their zero value.
 */
export function toWire<D extends DescMessage>(desc: D, json: unknown): MessageShape<D> {
  return messageFrom(desc, json ?? {}, '') as MessageShape<D>;
}

/** The JSON form of a message; the inverse of `toWire`. */
export function fromWire<D extends DescMessage>(desc: D, message: MessageShape<D>): Plain<MessageShape<D>> {
  return jsonFrom(desc, message as Message) as Plain<MessageShape<D>>;
}

function messageFrom(desc: DescMessage, json: unknown, path: string): Message {
  const special = specialMessages.get(desc.typeName);
  const message = create(desc) as Message;
  if (special) return Object.assign(message, special.fromJson(json, path));
  const plan = planOf(desc);
  const [only] = plan;
  if (only?.whole) return Object.assign(message, { [only.local]: fieldFrom(only, json, path) });
  if (typeof json !== 'object' || json === null || Array.isArray(json)) throw new WireError(path, 'an object', json);
  const target = message as unknown as Json;
  for (const field of plan) {
    const value = field.inline ? json : (json as Json)[field.key];
    if (value === undefined || value === null) {
      if (field.required) target[field.local] = zeroOf(field.desc);
      continue;
    }
    const wired = fieldFrom(field, value, path ? `${path}.${field.key}` : field.key);
    if (field.oneof) target[field.oneof] = { case: field.local, value: wired };
    else target[field.local] = wired;
  }
  return message;
}

function fieldFrom(field: PlannedField, value: unknown, path: string): unknown {
  switch (field.desc.fieldKind) {
    case 'list': {
      if (!Array.isArray(value)) throw new WireError(path, 'a list', value);
      return value.map((item, i) => itemFrom(field, item, `${path}[${i}]`));
    }
    case 'map': {
      if (typeof value !== 'object' || Array.isArray(value)) throw new WireError(path, 'an object', value);
      return Object.fromEntries(
        Object.entries(value as Json).map(([key, item]) => [key, itemFrom(field, item, `${path}.${key}`)]),
      );
    }
    default:
      return itemFrom(field, value, path);
  }
}

function itemFrom({ desc, text: fromOther }: PlannedField, value: unknown, path: string): unknown {
  if (desc.message) return messageFrom(desc.message, value ?? {}, path);
  if (desc.enum) {
    if (typeof value !== 'number') throw new WireError(path, 'a number', value);
    return value;
  }
  if (fromOther && (typeof value === 'number' || typeof value === 'boolean')) return String(value);
  return scalarFrom(desc.scalar as ScalarType, value, path);
}

function scalarFrom(type: ScalarType, value: unknown, path: string): unknown {
  switch (type) {
    case ScalarType.STRING:
      if (value === null) return '';
      if (typeof value !== 'string') throw new WireError(path, 'a string', value);
      return value;
    case ScalarType.BOOL:
      if (typeof value !== 'boolean') throw new WireError(path, 'true or false', value);
      return value;
    case ScalarType.BYTES:
      if (typeof value !== 'string') throw new WireError(path, 'base64 text', value);
      return new Uint8Array(Buffer.from(value, 'base64'));
    case ScalarType.DOUBLE:
    case ScalarType.FLOAT:
      if (typeof value !== 'number') throw new WireError(path, 'a number', value);
      return value;
    default:
      if (typeof value !== 'number' || !Number.isInteger(value)) throw new WireError(path, 'an integer', value);
      return isLong(type) ? BigInt(value) : value;
  }
}

function jsonFrom(desc: DescMessage, message: Message): unknown {
  const special = specialMessages.get(desc.typeName);
  if (special) return special.toJson(message as unknown as Json);
  const source = message as unknown as Json;
  const plan = planOf(desc);
  const [only] = plan;
  if (only?.whole) return fieldJson(only.desc, source[only.local]);
  const json: Json = {};
  for (const field of plan) {
    if (!isFieldSet(message, field.desc)) {
      if (field.inline)
        Object.assign(
          json,
          jsonFrom(field.desc.message as DescMessage, create(field.desc.message as DescMessage) as Message),
        );
      else if (field.always) json[field.key] = unsetJson(field.desc);
      continue;
    }
    const value = field.oneof ? (source[field.oneof] as { value: unknown }).value : source[field.local];
    const plain = fieldJson(field.desc, value);
    if (field.inline) Object.assign(json, plain);
    else json[field.key] = plain;
  }
  return json;
}

function fieldJson(field: DescField, value: unknown): unknown {
  switch (field.fieldKind) {
    case 'list':
      return (value as unknown[]).map((item) => itemJson(field, item));
    case 'map':
      return Object.fromEntries(Object.entries(value as Json).map(([key, item]) => [key, itemJson(field, item)]));
    default:
      return itemJson(field, value);
  }
}

export function itemJson(field: DescField, value: unknown): unknown {
  if (field.message) return jsonFrom(field.message, value as Message);
  if (typeof value === 'bigint') return Number(value);
  if (value instanceof Uint8Array)
    return Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64');
  return value;
}

/** What Go prints for a field without `omitempty` that is not set: nil slices and maps are null. */
export function unsetJson(field: DescField): unknown {
  if (field.fieldKind === 'list' || field.fieldKind === 'map') return null;
  if (field.message) return jsonFrom(field.message, create(field.message) as Message);
  const zero = zeroOf(field);
  return typeof zero === 'bigint' ? Number(zero) : zero instanceof Uint8Array ? null : zero;
}

export function zeroOf(field: DescField): unknown {
  if (field.message)
    return specialMessages.has(field.message.typeName)
      ? create(field.message)
      : messageFrom(field.message, {}, field.name);
  if (field.enum) return 0;
  switch (field.scalar) {
    case ScalarType.STRING:
      return '';
    case ScalarType.BOOL:
      return false;
    case ScalarType.BYTES:
      return new Uint8Array();
    default:
      return isLong(field.scalar as ScalarType) ? 0n : 0;
  }
}

function isLong(type: ScalarType): boolean {
  return (
    type === ScalarType.INT64 ||
    type === ScalarType.UINT64 ||
    type === ScalarType.SINT64 ||
    type === ScalarType.FIXED64 ||
    type === ScalarType.SFIXED64
  );
}
