/** Where a notification goes: a service by its name in the settings, and whom it tells there. */
export interface Destination {
  readonly service: string;
  readonly recipient: string;
}

/** Any JSON. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type JsonMap = { [key: string]: Json };

/**
 * A rendered notification: the message for all services and a section for each service that has more to say, by the
 * service's type, as `argocd-notifications-cm` names them.
 */
export interface Notification {
  message: string;
  sections: Record<string, JsonMap>;
}

/** A condition of a trigger, as `trigger.NAME` lists them. */
export interface Condition {
  readonly when: string;
  readonly description: string;
  readonly send: readonly string[];
  readonly oncePer: string;
}

/** A text; numbers and booleans are written out, as upstream reads YAML into texts. */
export const text = (value: Json | undefined): string => (isScalar(value) ? String(value) : '');
const isScalar = (value: Json | undefined): value is string | number | boolean =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
export const map = (value: Json | undefined): JsonMap =>
  value !== null && typeof value === 'object' && !Array.isArray(value) ? value : {};
export const list = (value: Json | undefined): Json[] => (Array.isArray(value) ? value : []);
export const strings = (value: Json | undefined): string[] => list(value).filter(isScalar).map(String);
/** The entries of a map whose values are texts; numbers and booleans are written out. */
export function textMap(value: Json | undefined): Record<string, string> {
  return Object.fromEntries(
    Object.entries(map(value))
      .filter(([, item]) => item !== null && typeof item !== 'object')
      .map(([key, item]) => [key, String(item)]),
  );
}
