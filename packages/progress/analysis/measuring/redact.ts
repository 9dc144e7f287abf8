import type { Measurement } from '../model/types.ts';

const mask = '*****';

/** A measurement that shows no value of a Secret, plain, escaped or encoded, in anything that is stored. */
export function withoutSecrets(measurement: Measurement, secrets: readonly string[]): Measurement {
  const hide = hider(secrets);
  const { message, value, metadata } = measurement;
  return {
    ...measurement,
    ...(message === undefined ? {} : { message: hide(message) }),
    ...(value === undefined ? {} : { value: hide(value) }),
    ...(metadata === undefined ? {} : { metadata: hideAll(metadata, hide) }),
  };
}

/** The same for what is reported with a metric's result. */
export function metadataWithoutSecrets(
  metadata: Readonly<Record<string, string>>,
  secrets: readonly string[],
): Record<string, string> {
  return hideAll(metadata, hider(secrets));
}

function hideAll(metadata: Readonly<Record<string, string>>, hide: (text: string) => string): Record<string, string> {
  return Object.fromEntries(Object.entries(metadata).map(([key, text]) => [key, hide(text)]));
}

function hider(secrets: readonly string[]): (text: string) => string {
  const forms = new Set(
    secrets.flatMap((secret) => [
      secret,
      secret.trim(),
      JSON.stringify(secret).slice(1, -1),
      encodeURIComponent(secret),
      new URLSearchParams([['', secret]]).toString().slice(1),
      Buffer.from(secret).toString('base64'),
    ]),
  );
  forms.delete('');
  // longer ones first: what stands inside another must not break it apart
  const sorted = [...forms].sort((a, b) => b.length - a.length);
  return (text) => sorted.reduce((hidden, form) => hidden.replaceAll(form, mask), text);
}
